import { spawnSync } from 'node:child_process'
import { expect } from 'chai'
import { type ApiClient, apiClient } from '../support/api-client.ts'
import type { Ended } from '../support/command.ts'
import { jsonLines } from '../support/json-lines.ts'
import { onSqlite } from '../support/one-store.ts'
import type { ServingHere } from '../support/workplace.ts'

const RFC3339 = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.000Z$/

onSqlite('portcullis user finds users', (stores) => {
  const { portcullis, serve, remove } = stores.workplace()
  let server: ServingHere
  let api: ApiClient
  let token: string
  let ids: ReadonlyArray<string>
  /** What the cheap hashes of the tests have. */
  const SCHEME = 'scrypt ln=1,r=8,p=1'
  const EMAILS = ['Ada@Example.com', 'bob@example.com', 'cleo@example.com', 'dan@example.com']
  before(async () => {
    server = await serve()
    api = apiClient(server.url)
    const application = await portcullis('application create --name shop --json')
    token = (await api.issueToken(JSON.parse(application.out))).body.token
    const made: Array<string> = []
    for (const email of EMAILS) made.push(JSON.parse((await create(email)).out).id)
    ids = made
    await portcullis('user disable bob@example.com')
  })
  after(async () => {
    await api.close()
    expect(await server.end()).to.equal(0)
    remove()
  })

  const create = (email: string): Promise<Ended> =>
    portcullis(`user create --email ${email} --password-stdin --json`, { input: 'secret' })
  const list = async (options = '') => {
    const { status, out, err } = await portcullis(`user list --json ${options}`.trim())
    expect(status).to.equal(0)
    return { users: jsonLines(out), err }
  }
  const emails = async (options = '') => (await list(options)).users.map(({ email }) => email)
  const id = (index: number): string => ids[index] ?? ''

  it('list prints one line per user, with the scheme of the password and no other password data', async () => {
    const { users, err } = await list()
    expect(err).to.equal('')
    for (const { created_at } of users) expect(created_at).to.match(RFC3339)
    expect(users.map(({ created_at, ...user }) => user)).to.deep.equal(
      EMAILS.map((email, index) => ({
        id: id(index),
        email,
        email_verified: false,
        status: index === 1 ? 'disabled' : 'enabled',
        has_password: true,
        password_scheme: SCHEME,
        roles: [],
      })),
    )
    const lines = users.map((user) => `${Object.values({ ...user, roles: '-' }).join('  ')}\n`)
    expect(await portcullis('user list')).to.deep.equal({ status: 0, out: lines.join(''), err: '' })
  })

  it('show prints the user of an e-mail or id as list does, with the kinds of its factors', async () => {
    const [ada] = (await list()).users
    for (const name of ['ADA@example.com', id(0)]) {
      expect(await portcullis(`user show ${name} --json`)).to.deep.equal({
        status: 0,
        out: `${JSON.stringify({ ...ada, factors: [] })}\n`,
        err: '',
      })
    }
    const { out } = await portcullis(`user show ${id(1)}`)
    expect(out).to.match(
      /^id {15}\S+\nemail {12}bob@example\.com\nemail_verified {3}false\nstatus {11}disabled\ncreated_at {7}\S+\nhas_password {5}true\npassword_scheme {2}scrypt ln=1,r=8,p=1\nroles {12}-\nfactors {10}-\n$/,
    )
  })

  it('list prints where to continue after --limit, unless all are listed', async () => {
    const first = await list('--status enabled --limit 2')
    expect(first.users.map(({ email }) => email)).to.deep.equal([EMAILS[0], EMAILS[2]])
    expect(first.err).to.equal(`Continue with --after ${id(2)}\n`)
    const next = await list(`--status enabled --limit 2 --after ${id(2)}`)
    expect([next.users.map(({ email }) => email), next.err]).to.deep.equal([[EMAILS[3]], ''])
    const all = await list('--limit 4')
    expect([all.users.length, all.err]).to.deep.equal([4, ''])
  })

  it('list finds users by the beginning of an e-mail, and continues in its order', async () => {
    expect(await emails('--email-prefix ADA@')).to.deep.equal([EMAILS[0]])
    expect(await emails('--email-prefix da')).to.deep.equal([EMAILS[3]])
    expect(await emails('--name-prefix Ada')).to.deep.equal([])
    expect(await emails('--role admin --status enabled')).to.deep.equal([])
    await create('bobby@example.com')
    const first = await list('--email-prefix b --limit 1')
    expect(first.users.map(({ email }) => email)).to.deep.equal(['bob@example.com'])
    const [, after] = /^Continue with --after (\S+)\n$/.exec(first.err) ?? []
    expect(await emails(`--email-prefix b --after ${after}`)).to.deep.equal(['bobby@example.com'])
    await portcullis('user remove bobby@example.com')
    expect(await portcullis(`user list --email-prefix a --after ${after}`)).to.deep.equal({
      status: 1,
      out: '',
      err: '--after is the position of another list. Give the options of that list.\n',
    })
  })

  it('list quotes where to continue for a shell: names have quotes and spaces', async () => {
    const named = ['a', 'b'].map((each) => ({
      email: `${each}@names.example`,
      password_hash: null,
      name: `O'Brien (${each})`,
    }))
    const input = named.map((line) => `${JSON.stringify(line)}\n`).join('')
    expect((await portcullis('user import -', { input })).status).to.equal(0)
    const { err } = await list("--name-prefix o'b --limit 1")
    const [, quoted = ''] = /^Continue with --after (.+)\n$/.exec(err) ?? []
    const read = spawnSync('sh', ['-c', `printf %s ${quoted}`], { encoding: 'utf8' })
    expect([read.status, read.stderr]).to.deep.equal([0, ''])
    expect(await emails(`--name-prefix o'b --after ${read.stdout}`)).to.deep.equal([named[1]?.email])
    for (const { email } of named) await portcullis(`user remove ${email}`)
  })

  it('every command takes an id instead of the e-mail', async () => {
    const eve = JSON.parse((await create('eve@example.com')).out)
    const answer = { status: 0, out: `${JSON.stringify(eve)}\n`, err: '' }
    for (const command of ['disable', 'enable', 'end-sessions'])
      expect(await portcullis(`user ${command} ${eve.id} --json`)).to.deep.equal(answer)
    expect(
      await portcullis(`user set-password ${eve.id} --password-stdin --json`, { input: 'other' }),
    ).to.deep.equal(answer)
    expect((await api.signIn(token, 'eve@example.com', 'other')).status).to.equal(200)
    expect(await portcullis(`user remove ${eve.id} --json`)).to.deep.equal(answer)
    expect(await emails()).not.to.include('eve@example.com')
  })
})
