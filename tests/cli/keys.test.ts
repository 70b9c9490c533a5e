import { expect } from 'chai'
import { type ApiClient, apiClient } from '../support/api-client.ts'
import { eventually } from '../support/eventually.ts'
import { jsonLines } from '../support/json-lines.ts'
import { onSqlite } from '../support/one-store.ts'
import type { ServingHere } from '../support/workplace.ts'

type Shown = Readonly<{ kid: string; purpose: string; created_at: string; retires_at: string | null }>

const TTL_MS = { application: 3_600_000, user: 43_200_000 }
/** Clients may cache the published keys for this time. */
const PUBLISHED_MS = 600_000

onSqlite('portcullis keys beside a running server', (stores) => {
  const { portcullis, serve, entries, remove } = stores.workplace()
  let server: ServingHere
  let api: ApiClient
  let tokens: Readonly<{ application: string; user: string }>
  let first: Readonly<{ application: Shown; user: Shown }>
  before(async () => {
    server = await serve('serve --first-run')
    await server.prints('-changed')
    api = apiClient(server.url)
    const printed = (name: string) => new RegExp(`${name} +(\\S+)`).exec(server.printed())?.[1] ?? ''
    const { body } = await api.issueToken({
      public_api_key: printed('public_api_key'),
      private_api_key: printed('private_api_key'),
    })
    const signedIn = await api.signIn(body.token, printed('email'), printed('password'))
    tokens = { application: body.token, user: signedIn.body.token }
  })
  after(async () => {
    await api.close()
    expect(await server.end()).to.equal(0)
    remove()
  })

  const list = async (): Promise<ReadonlyArray<Shown>> => {
    const { status, out, err } = await portcullis('keys list --json')
    expect([status, err]).to.deep.equal([0, ''])
    return jsonLines(out)
  }
  /** The service polls its keys once a second. */
  const publishes = (what: string, isThere: (kids: ReadonlyArray<string>) => boolean) =>
    eventually(what, async () => {
      const kids = await api.publishedKids()
      return isThere(kids) ? kids : undefined
    })

  it('list prints one line per key, without secrets', async () => {
    const [application, user, ...more] = await list()
    if (application === undefined || user === undefined) throw new Error('there are no keys')
    expect(more).to.deep.equal([])
    first = { application, user }
    expect(application).to.deep.include({ purpose: 'application', retires_at: null })
    expect(user).to.deep.include({ purpose: 'user', retires_at: null })
    for (const key of [application, user]) {
      expect(Object.keys(key)).to.deep.equal(['kid', 'purpose', 'created_at', 'retires_at'])
      expect(key.created_at).to.match(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.000Z$/)
    }
    expect(await api.publishedKids()).to.deep.equal([application.kid])
    const { out } = await portcullis('keys list')
    expect(out).to.equal(
      `${application.kid}  application  ${application.created_at}  -\n${user.kid}  user  ${user.created_at}  -\n`,
    )
  })

  it('rotate --purpose makes one key, and the server publishes both', async () => {
    const { status, out, err } = await portcullis('keys rotate --purpose application --json')
    expect([status, err]).to.deep.equal([0, ''])
    const { keys, ...rest } = JSON.parse(out)
    expect(rest).to.deep.equal({})
    const [old, made, ...more] = keys
    expect(more).to.deep.equal([])
    const retiresAt = Date.parse(made.created_at) + TTL_MS.application + 2 * PUBLISHED_MS
    expect(old).to.deep.equal({
      ...first.application,
      retires_at: new Date(retiresAt).toISOString(),
    })
    expect(made).to.deep.include({ purpose: 'application', retires_at: null })

    await publishes('two keys', (kids) => kids.length === 2)
    expect(await api.publishedKids()).to.deep.equal([old.kid, made.kid])
    expect(await api.signInStatus(tokens.application)).to.equal(422)
    expect(await list()).to.have.deep.members([...keys, first.user])
  })

  it('rotate makes one key of each kind, and prints when they start to sign', async () => {
    const { status, out, err } = await portcullis('keys rotate')
    expect(status).to.equal(0)
    const lines = out.trimEnd().split('\n')
    expect(lines).to.have.length(5)
    for (const line of lines) expect(line).to.match(/^\S{43} {2}(application|user) {2}\S+Z {2}(\S+Z|-)$/)
    const madeAt = (await list()).findLast(({ purpose }) => purpose === 'user')?.created_at ?? ''
    const signsFrom = new Date(Date.parse(madeAt) + PUBLISHED_MS).toISOString()
    expect(err).to.equal(
      `The new keys are published now and sign from ${signsFrom}. No further action is needed.\n`,
    )
    expect(await api.profileStatus(tokens.user)).to.equal(200)
  })

  it('rotate --leaked invalidates tokens of the old keys', async () => {
    const before = await list()
    const { status, out, err } = await portcullis('keys rotate --leaked')
    expect(status).to.equal(0)
    expect(err).to.equal('The new keys sign now. Tokens signed by the old keys no longer work.\n')
    const after = await list()
    expect(out).to.equal(after.map((key) => `${key.kid}  ${key.purpose}  ${key.created_at}  -\n`).join(''))
    expect(after.map(({ purpose }) => purpose)).to.have.members(['application', 'user'])
    for (const { kid } of after) expect(before.map((key) => key.kid)).not.to.include(kid)

    await publishes('only the new key', (kids) => kids.length === 1 && kids[0] === after[0]?.kid)
    expect(await api.signInStatus(tokens.application)).to.equal(401)
    expect(await api.profileStatus(tokens.user)).to.equal(401)
    const retired = await entries('SigningKeyRetired')
    expect(retired.map(({ subject }) => subject.id)).to.have.members(before.map(({ kid }) => kid))
  })
})
