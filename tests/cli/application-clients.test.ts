import { expect } from 'chai'
import { jsonLines } from '../support/json-lines.ts'
import { onSqlite } from '../support/one-store.ts'
import { FOR_PAGES } from '../support/settings.ts'

const SHOP = 'https://shop.example/callback'
const BYE = 'https://shop.example/bye'
const ON = { ...FOR_PAGES, ACCOUNT_PAGES: 'on', OPENID: 'on' }
const NONE = { redirect_uris: [], logout_uris: [], client: 'confidential', pkce: 'required' }

onSqlite('clients of the OpenID provider on the command line', (stores) => {
  const { portcullis, entries, remove } = stores.workplace()
  before(() => portcullis('application create --name kept'))
  after(remove)

  const run = async (words: string) => {
    const { status, out, err } = await portcullis(`${words} --json`, { environment: ON })
    expect([status, err], words).to.deep.equal([0, ''])
    return JSON.parse(out)
  }
  const listed = async (name: string) =>
    jsonLines((await portcullis('application list --json')).out).find((one) => one.name === name)
  const sets = async () => (await entries('RedirectUrisSet')).map(({ data }) => data)

  it('are named when they are created, and shown in lists', async () => {
    const { id } = await run(
      `application create --name shop --redirect-uri ${SHOP} --redirect-uri http://127.0.0.1:3000/callback --logout-uri ${BYE} --pkce optional`,
    )
    expect(await listed('shop')).to.deep.include({
      redirect_uris: [SHOP, 'http://127.0.0.1:3000/callback'],
      logout_uris: [BYE],
      client: 'confidential',
      pkce: 'optional',
    })
    expect((await portcullis('application list')).out).to.include(
      `  ${SHOP} http://127.0.0.1:3000/callback  ${BYE}  confidential  optional\n`,
    )
    expect(await entries('RedirectUrisSet')).to.deep.include({
      subject: { kind: 'application', id },
      actor: { kind: 'operator' },
      data: {
        redirect_uris: [SHOP, 'http://127.0.0.1:3000/callback'],
        logout_uris: [BYE],
        client: 'confidential',
        pkce: 'optional',
      },
    })
    await run('application create --name app --redirect-uri com.example.app:/callback --client public')
    expect(await listed('app')).to.deep.include({
      ...NONE,
      redirect_uris: ['com.example.app:/callback'],
      client: 'public',
    })
  })

  it('are told what their library needs, and what the operator does next', async () => {
    const options = `--redirect-uri ${SHOP} --redirect-uri https://a.example/a,b --logout-uri ${BYE}`
    const shown = await portcullis(`application create --name told ${options}`, { environment: ON })
    const [, id] = /^id +(\S+)$/m.exec(shown.out) ?? []
    expect(shown.out.replace(/sk_\w+/, 'sk_')).to.equal(
      [
        `id               ${id}`,
        'name             told',
        'scope            -',
        `public_api_key   pk_${id}`,
        'private_api_key  sk_',
        `client_id        ${id}`,
        'issuer           https://service.test',
        `redirect_uris    ${SHOP} https://a.example/a,b`,
        `logout_uris      ${BYE}\n`,
      ].join('\n'),
    )
    expect(shown.err).to.equal(
      'Save the private key now. It is shown only once.\nGive your OpenID client the issuer, the client_id, and the private key as client_secret. Recipes: docs/openid.md\n',
    )
  })

  it('are told that there is no key to save, if they are public and call no API', async () => {
    const words = `application create --name spa --client public --redirect-uri ${SHOP}`
    const bare = await portcullis(words, { environment: ON })
    expect(bare.out).to.match(/^private_api_key +-$/m)
    expect(bare.err).to.equal(
      'Give your OpenID client the issuer and the client_id. It has no client_secret. Recipes: docs/openid.md\n',
    )
    expect(await run(words)).to.include({ private_api_key: null, issuer: 'https://service.test' })
    const calling = await portcullis(`${words} --scope users:read`, { environment: ON })
    expect(calling.out).to.match(/^private_api_key +sk_/m)
    expect(calling.err).to.include('Save the private key now.')
  })

  it('are warned of while the provider is off', async () => {
    const off = 'has redirect URIs, and OPENID is off, so only identity providers use them. Set OPENID=on.'
    const created = await portcullis(`application create --name early --redirect-uri ${SHOP} --json`)
    expect(created).to.include({ status: 0, err: `Warning: early ${off}\n` })
    const set = await portcullis('application set early --idle-ttl 3600 --json')
    expect(set.err).to.equal(`Warning: early ${off}\n`)
  })

  it('have no scopes unless the operator names some', async () => {
    const scopeOf = async (words: string) => (await run(`application ${words}`)).scope
    expect(await scopeOf(`create --name bare --redirect-uri ${SHOP}`)).to.equal('')
    expect(await scopeOf(`create --name both --redirect-uri ${SHOP} --scope users:register`)).to.equal(
      'users:register',
    )
    expect(await scopeOf('create --name api')).to.equal('users:sign_in users:register')
    expect(await scopeOf('create --name none --no-scopes')).to.equal('')
    expect(await scopeOf('set both --idle-ttl 3600')).to.equal('users:register')
    expect(await scopeOf('set both --no-scopes')).to.equal('')
    expect(
      await portcullis(['application', 'set', 'bare', '--scope', ''], { environment: ON }),
    ).to.deep.include({
      err: 'Nothing was changed.\n',
    })
    expect((await portcullis('application set bare')).out).to.match(/^scope +-$/m)
    expect(await scopeOf('set bare --scope users:sign_in')).to.equal('users:sign_in')
  })

  it('are set one option at a time, and what is not named stays', async () => {
    await run('application create --name desk')
    expect(await listed('desk')).to.deep.include(NONE)
    const before = (await sets()).length
    const steps = [
      [`--redirect-uri ${SHOP}`, { redirect_uris: [SHOP] }],
      [`--logout-uri ${BYE}`, { logout_uris: [BYE] }],
      ['--pkce optional', { pkce: 'optional' }],
      ['--pkce required --client public', { pkce: 'required', client: 'public' }],
      [
        '--redirect-uri https://a.example/ --redirect-uri https://b.example/ --redirect-uri https://a.example/',
        { redirect_uris: ['https://a.example/', 'https://b.example/'] },
      ],
      ['--no-redirect-uris', { redirect_uris: [] }],
      ['--no-logout-uris --client confidential', { logout_uris: [], client: 'confidential' }],
    ] as const
    let expected: object = NONE
    for (const [options, change] of steps) {
      expected = { ...expected, ...change }
      expect(await run(`application set desk ${options}`), options).to.deep.include(expected)
      expect(await listed('desk'), options).to.deep.include(expected)
      expect((await sets()).at(-1), options).to.deep.equal(expected)
    }
    expect(await run('application set desk --idle-ttl 3600'), 'another option').to.deep.include(NONE)
    expect((await portcullis('application set desk --no-redirect-uris --client confidential')).err).to.equal(
      'Nothing was changed.\n',
    )
    expect((await sets()).length - before).to.equal(steps.length)
  })

  const REFUSED: ReadonlyArray<readonly [options: ReadonlyArray<string>, message: string]> = [
    [['--redirect-uri', `${SHOP}#a`], `--redirect-uri must have no fragment (#), got "${SHOP}#a".`],
    [
      ['--redirect-uri', SHOP, '--logout-uri', 'http://localhost:3000/bye'],
      '--logout-uri must have 127.0.0.1 or [::1] instead of localhost, got "http://localhost:3000/bye".',
    ],
    [
      ['--redirect-uri', 'https://*.shop.example/'],
      '--redirect-uri must be complete, because * is no wildcard, got "https://*.shop.example/".',
    ],
    [
      ['--redirect-uri', 'http://shop.example/'],
      '--redirect-uri must be https://…, or http:// at 127.0.0.1 or [::1], got "http://shop.example/".',
    ],
    [
      ['--redirect-uri', 'com.example.app:/callback'],
      '--redirect-uri must be https://…: only --client public can have a private scheme, got "com.example.app:/callback".',
    ],
    [
      ['--redirect-uri', 'myapp:/callback', '--client', 'public'],
      '--redirect-uri must be https://…, or with --client public a private scheme such as com.example.app:/callback, got "myapp:/callback".',
    ],
    [
      ['--redirect-uri', 'https://ada:hunter2@shop.example/'],
      '--redirect-uri must have no user name or password, got "***@shop.example/".',
    ],
    [
      ['--redirect-uri', 'https://Shop.example:443'],
      '--redirect-uri must be in its normal form, "https://shop.example/", got "https://Shop.example:443".',
    ],
    [
      ['--redirect-uri', 'https://bücher.example/'],
      '--redirect-uri must be in its normal form, "https://xn--bcher-kva.example/", got "https://b\\u00fccher.example/".',
    ],
    [
      ['--redirect-uri', 'https:/\t/ada:hunter2@shop.example/'],
      '--redirect-uri must be a URL of printable ASCII characters without spaces, got "***@shop.example/".',
    ],
    [
      ['--redirect-uri', 'shop.example/callback'],
      '--redirect-uri must be a URL of printable ASCII characters without spaces, got "shop.example/callback".',
    ],
    [
      ['--redirect-uri', `https://shop.example/${'a/'.repeat(250)}`],
      `--redirect-uri must have at most 512 characters, got "https://shop.example/${'a/'.repeat(19)}a...".`,
    ],
    [
      [
        '--redirect-uri',
        SHOP,
        ...Array.from({ length: 21 }, (_, index) => ['--logout-uri', `https://shop.example/${index}`]).flat(),
      ],
      '--logout-uri can be repeated for at most 20 URIs.',
    ],
    [
      ['--redirect-uri', `${SHOP},https://b.example/`],
      `--redirect-uri must be one URI: repeat the option for each one, got "${SHOP},https://b.example/".`,
    ],
    [['--logout-uri', BYE], '--logout-uri requires a redirect URI. Add --redirect-uri.'],
    [['--client', 'public', '--pkce', 'optional'], '--client public requires PKCE. Add --pkce required.'],
  ]
  for (const [options, message] of REFUSED)
    it(`are refused with status 1, and say what to do: ${message.slice(0, 90)}`, async () => {
      const before = (await sets()).length
      for (const words of [
        ['application', 'create', '--name', 'no'],
        ['application', 'set', 'kept'],
      ])
        expect(await portcullis([...words, ...options])).to.deep.equal({
          status: 1,
          out: '',
          err: `${message}\n`,
        })
      expect((await sets()).length).to.equal(before)
      expect(await listed('no')).to.equal(undefined)
    })

  it('are never the application of the account pages', async () => {
    const { id } = await run('application create-pages')
    for (const option of [`--redirect-uri ${SHOP}`, '--no-redirect-uris', '--client public'])
      expect(await portcullis(`application set ${id} ${option}`)).to.deep.equal({
        status: 1,
        out: '',
        err: 'The service made this application for its pages. It cannot be a client of the OpenID provider.\n',
      })
  })
})
