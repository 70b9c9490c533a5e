import { expect } from 'chai'
import { type ApiClient, apiClient, type KeyPair } from '../support/api-client.ts'
import { jsonLines } from '../support/json-lines.ts'
import { onSqlite } from '../support/one-store.ts'
import { FOR_PAGES } from '../support/settings.ts'
import type { ServingHere } from '../support/workplace.ts'

type Application = KeyPair & Readonly<{ id: string }>

const PAGES = { id: '70616765-7300-8000-8000-000000000001', name: 'Account pages' }

onSqlite('portcullis application set beside a running server', (stores) => {
  const { portcullis, serve, entries, remove } = stores.workplace()
  let server: ServingHere
  let api: ApiClient
  before(async () => {
    server = await serve()
    api = apiClient(server.url)
    await portcullis('user create --email ada@example.com --password-stdin', { input: 'correct horse' })
  })
  after(async () => {
    await api.close()
    expect(await server.end()).to.equal(0)
    remove()
  })

  const run = async (...words: ReadonlyArray<string>) => {
    const { status, out, err } = await portcullis([...words, '--json'])
    expect([status, err]).to.deep.equal([0, ''])
    return JSON.parse(out)
  }
  const create = (name: string, ...more: ReadonlyArray<string>): Promise<Application> =>
    run('application', 'create', '--name', name, ...more)
  const changes = async () =>
    (await entries('ApplicationChanged')).map(({ subject, data }) => [subject.id, data])

  it('prints the values without a key, and names the operator in the log', async () => {
    const { id } = await create('first')
    const { status, out, err } = await portcullis('application set first --name renamed', {
      environment: { OPERATOR: 'Ada Lovelace' },
    })
    expect({ status, out, err }).to.deep.equal({
      status: 0,
      out: [
        `id                      ${id}`,
        'name                    renamed',
        'scope                   users:sign_in users:register',
        'user_token_ttl          -',
        'idle_ttl                -',
        'session_ttl             -',
        'remember_ttl            -',
        'required_assurance      aal1',
        'require_verified_email  false',
        'passkey_origins         -',
        'return_urls             -',
        'redirect_uris           -',
        'logout_uris             -',
        'client                  confidential',
        'pkce                    required\n',
      ].join('\n'),
      err: 'Changed.\n',
    })
    expect(await entries('ApplicationChanged')).to.deep.equal([
      {
        subject: { kind: 'application', id },
        actor: { kind: 'operator', id: 'Ada Lovelace' },
        data: {
          name: 'renamed',
          scope: 'users:sign_in users:register',
          user_token_ttl: null,
          idle_ttl: null,
          session_ttl: null,
          remember_ttl: null,
          required_assurance: 'aal1',
          require_verified_email: false,
        },
      },
    ])
  })

  it('sets an idle time and a lifetime of remembered sessions, and back', async () => {
    const { id } = await create('remembering', '--idle-ttl', '43200', '--remember-ttl', '2592000')
    expect((await portcullis('application set remembering --remember-ttl 600')).err).to.include(
      'Warning: remembering: remembered sessions of 600 seconds would end before ordinary ones of 43200 seconds.\n',
    )
    await run('application', 'set', id, '--remember-ttl', '2592000')
    expect((await entries('ApplicationRegistered')).at(-1)?.data).to.include({
      idle_ttl: 43_200,
      remember_ttl: 2_592_000,
    })
    const { keys } = await run('keys', 'rotate', '--purpose', 'user')
    const [old, young] = keys.slice(-2)
    const overlap = Date.parse(old.retires_at) - Date.parse(young.created_at)
    expect(overlap / 1000, 'as long as a remembered session').to.equal(600 + 2_592_000 + 600)
    const back = await run('application', 'set', id, '--idle-ttl', 'default', '--remember-ttl', 'default')
    expect(back).to.include({ idle_ttl: null, remember_ttl: null })
  })

  it('sets return URLs, all at once, with domains in ASCII, and removes them', async () => {
    const { id } = await create('returning')
    const set = (...more: ReadonlyArray<string>) => run('application', 'set', 'returning', ...more)
    const urls = ['https://shop.example/back', 'https://xn--bcher-kva.example/']
    const both = ['--return-url', 'https://shop.example/back', '--return-url', 'https://bücher.example/']
    expect(await set(...both)).to.deep.include({ id, return_urls: urls })
    expect(await set('--idle-ttl', '3600')).to.deep.include({ return_urls: urls })
    expect(await set('--no-return-url')).to.deep.include({ return_urls: [] })
    expect((await entries('ReturnUrlsSet')).map(({ data }) => data)).to.deep.equal([{ urls }, { urls: [] }])
    expect(
      await portcullis('application set returning --return-url https://shop.example/?a=b'),
    ).to.deep.equal({
      status: 1,
      out: '',
      err: '--return-url must be https://HOST/PATH, or http://localhost/PATH, in lower case, without a query, got "https://shop.example/?***".\n',
    })
    const many = Array.from({ length: 11 }, (_, index) => ['--return-url', `https://shop.example/${index}`])
    const refused = await portcullis(['application', 'set', 'returning', ...many.flat()])
    expect(refused.err).to.equal('--return-url can be repeated for at most 10 URLs.\n')
  })

  it('refuses lifetimes that do not fit each other, and names the remedy', async () => {
    await create('clash')
    const before = await changes()
    const refusal = (token: number, session: number) => ({
      status: 1,
      out: '',
      err: `User tokens of ${token} seconds would outlive sessions of ${session} seconds. Set --session-ttl to at least ${token}, or --user-token-ttl to at most ${session}.\n`,
    })
    expect(await portcullis('application set clash --session-ttl 3600')).to.deep.equal(refusal(43_200, 3_600))
    expect(await portcullis('application set clash --user-token-ttl 43201')).to.deep.equal(
      refusal(43_201, 43_200),
    )
    expect(await portcullis('application set clash --idle-ttl 43201')).to.deep.equal({
      status: 1,
      out: '',
      err: 'An idle time of 43201 seconds would outlive sessions of 43200 seconds. Set --session-ttl to at least 43201, or --idle-ttl to at most 43200.\n',
    })
    expect(await portcullis('application create --name no --session-ttl 43199')).to.deep.equal(
      refusal(43_200, 43_199),
    )
    expect(await changes()).to.deep.equal(before)
    expect(
      jsonLines((await portcullis('application list --json')).out).map(({ name }) => name),
    ).to.not.include('no')
  })

  it('takes scopes away although lifetimes do not fit the settings of today', async () => {
    await create('lasting', '--session-ttl', '43200')
    const { status, out } = await portcullis(['application', 'set', 'lasting', '--scope', 'users:sign_in'], {
      environment: { USER_TOKEN_TTL: '50000' },
    })
    expect([status, out.includes('users:register')]).to.deep.equal([0, false])
  })

  it('exits with 2 for wrong usage, and with 1 for wrong values and unknown or revoked applications', async () => {
    await create('gone')
    await run('application', 'revoke', 'gone')
    for (const [words, status, message] of [
      ['application set', 2, 'missing required argument'],
      ['application set gone --scop users:read', 2, 'unknown option'],
      ['application set gone --session-ttl 0', 2, 'whole number of seconds from 1 to 31536000, or default'],
      ['application set gone --user-token-ttl 31536001', 2, 'whole number of seconds'],
      ['application create --name x --user-token-ttl soon', 2, 'whole number of seconds'],
      ['application set gone --name other', 1, 'This application is revoked.'],
      ['application set nowhere --name other', 1, 'No application has this id or name.'],
      ['application rotate nowhere', 1, 'No application has this id or name.'],
      ['application revoke nowhere', 1, 'No application has this id or name.'],
      ['application set renamed --scope users:fly', 1, 'events:read, separated by spaces, got "users:fly".'],
    ] as const) {
      const refused = await portcullis(words)
      expect([refused.status, refused.out], words).to.deep.equal([status, ''])
      expect(refused.err, words).to.include(message)
    }
  })

  it('makes the next application of the account pages, which has no key', async () => {
    const [first, again] = [
      await run('application', 'create-pages'),
      await run('application', 'create-pages'),
    ]
    expect([first, again]).to.deep.equal([PAGES, PAGES])
    const refused = await portcullis(['application', 'rotate', PAGES.id])
    expect(refused).to.deep.equal({
      status: 1,
      out: '',
      err: 'The service made this application for its pages. It has no API key.\n',
    })
    const environment = { ACCOUNT_PAGES: 'on', ...FOR_PAGES }
    const ofPages = async () =>
      (await portcullis('doctor', { environment })).out.match(/^.* applications .*$/m)?.[0]
    const open = await ofPages()
    expect(open).to.match(/^ok /).and.not.include('account pages')
    const live = jsonLines((await portcullis('application list --json')).out).filter(
      ({ revoked }) => !revoked,
    )
    expect(open, 'all but that of the pages').to.include(` ${live.length - 1} can get tokens.`)

    await run('application', 'revoke', 'Account pages')
    expect(await ofPages()).to.include('they answer 503. Run: portcullis application create-pages.')
    expect((await portcullis('doctor')).out, 'without pages').not.to.include('they answer 503')
    const next = await run('application', 'create-pages')
    expect(next).to.deep.equal({ ...PAGES, id: PAGES.id.replace(/1$/, '2') })
    expect(await ofPages()).not.to.include('they answer 503')
  })

  it('takes a name for the id while one application has it, and prefers an id', async () => {
    const first = await create('twin')
    const rotated = await run('application', 'rotate', 'twin')
    expect(rotated).to.include({ id: first.id })
    const second = await create('twin')
    for (const command of ['set', 'rotate', 'revoke']) {
      const { status, out, err } = await portcullis(`application ${command} twin`)
      expect([status, out]).to.deep.equal([1, ''])
      expect(err).to.equal(
        `2 applications have this name. Give the id instead: ${[first.id, second.id].join(', ')}\n`,
      )
    }
    expect(await run('application', 'revoke', second.id)).to.deep.equal({ id: second.id })
    expect(await run('application', 'set', 'twin'), 'the other one is revoked').to.include({ id: first.id })

    const named = await create(first.id) // the id of the other one as its name
    expect(await run('application', 'revoke', first.id)).to.deep.equal({ id: first.id })
    expect(await run('application', 'revoke', named.id)).to.deep.equal({ id: named.id })
  })
})
