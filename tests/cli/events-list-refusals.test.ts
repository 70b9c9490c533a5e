import { expect } from 'chai'
import { API_KEY } from '../support/api-keys.ts'
import { eventually } from '../support/eventually.ts'
import { type Answer, httpClient } from '../support/http-client.ts'
import { jsonLines } from '../support/json-lines.ts'
import { onSqlite } from '../support/one-store.ts'
import type { ServingHere } from '../support/workplace.ts'

const NOTED_A_MINUTE = 10

onSqlite('portcullis events list beside a server that refuses requests', (stores) => {
  const { portcullis, serve, remove } = stores.workplace()
  let server: ServingHere
  let client: ReturnType<typeof httpClient>
  let application: Readonly<{ id: string; public_api_key: string; private_api_key: string }>
  let user: Readonly<{ id: string }>
  let token: string
  before(async () => {
    server = await serve()
    client = httpClient(server.url)
    application = JSON.parse((await portcullis('application create --name shop --json')).out)
    const made = await portcullis('user create --email ada@example.com --password-stdin --json', {
      input: 'secret',
    })
    user = JSON.parse(made.out)
    token = (await issue(application.private_api_key)).body.token
  })
  after(async () => {
    await server.end()
    remove()
  })

  const post = (path: string, id: string, body: object, by?: string): Promise<Answer> =>
    client.send({
      method: 'POST',
      path,
      body,
      headers: { 'x-request-id': id },
      ...(by === undefined ? {} : { token: by }),
    })
  const issue = (private_api_key: string, id = 'issue') =>
    post('/api/v1/auth/application/token', id, { ...application, private_api_key })
  const signIn = (id: string, email: string) =>
    post('/api/v1/auth/user/token', id, { email, password: 'wrong' }, token)

  const list = async (words: string) => {
    const { status, out, err } = await portcullis(`events list ${words}`)
    expect([status, err.replace(/^Continue with --after [0-9a-f]{8}:\d+\n$/, '')]).to.deep.equal([0, ''])
    return out
  }
  const listed = (words: string, count: number) =>
    eventually(`${count} entries of events list ${words}`, async () => {
      const entries = jsonLines(await list(`--json ${words}`))
      return entries.length === count ? entries : undefined
    })

  let followed = 0

  it('shows the subject, reason and request of a refusal', async () => {
    expect((await signIn('known-user', 'ada@example.com')).status).to.equal(422)
    expect((await signIn('unknown-user', 'eve@example.com')).status).to.equal(422)
    const [known, unknown] = await listed('--type SignInRefused', 2)
    const actor = { kind: 'application', id: application.id }
    const { position, id, at, ...said } = known
    expect(said).to.deep.equal({
      type: 'SignInRefused',
      version: 1,
      subject: { kind: 'user', id: user.id },
      actor,
      request_id: 'known-user',
      data: { reason: 'wrong_password' },
    })
    expect(unknown).to.deep.include({
      subject: { kind: 'service', id: 'portcullis' },
      actor,
      request_id: 'unknown-user',
      data: { reason: 'unknown_email' },
    })
    expect(await list('--type SignInRefused')).to.equal(
      `${position}  ${at}  SignInRefused  user ${user.id}  by application ${application.id}  request known-user  {"reason":"wrong_password"}\n` +
        `${unknown.position}  ${unknown.at}  SignInRefused  service portcullis  by application ${application.id}  request unknown-user  {"reason":"unknown_email"}\n`,
    )
    followed = unknown.position
  })

  it('follows the log with --after the last position', async () => {
    expect(await list(`--json --after ${followed}`)).to.equal('')
    expect((await issue('sk_x', 'wrong-key')).status).to.equal(401)
    const [entry] = await listed(`--after ${followed}`, 1)
    expect(entry).to.deep.include({
      position: followed + 1,
      type: 'ApplicationTokenRefused',
      actor: { kind: 'nobody' },
      request_id: 'wrong-key',
      data: { reason: 'malformed_key' },
    })
    expect(await list(`--json --type SignInRefused --after ${followed}`)).to.equal('')
  })

  it('summarizes more than ten refusals a minute in one exact count when the server stops', async () => {
    const beforeIt = jsonLines(await list('--json --type ApplicationTokenRefused'))
    const sent = await Promise.all(Array.from({ length: NOTED_A_MINUTE + 25 }, () => issue('sk_x')))
    expect(sent.filter(({ status }) => status !== 401)).to.deep.equal([])
    await client.close()
    expect(await server.end()).to.equal(0)
    const [summary, ...more] = jsonLines(await list('--json --type RefusalsSummarized'))
    expect(more).to.deep.equal([])
    expect(summary.subject).to.deep.equal({ kind: 'service', id: 'portcullis' })
    expect(summary.data.type).to.equal('ApplicationTokenRefused')
    expect(Date.parse(summary.data.from)).to.be.at.most(Date.parse(summary.data.to))
    // The number of entries depends on whether the minute of an earlier refusal has ended.
    const noted = jsonLines(await list('--json --type ApplicationTokenRefused'))
    expect(noted.length - beforeIt.length + summary.data.count).to.equal(sent.length)
    expect(summary.data.count).to.be.at.least(25)
  })

  it('contains no e-mail, password or key', async () => {
    const all = await list('--json')
    for (const secret of ['example.com', 'wrong"', 'secret']) expect(all).not.to.include(secret)
    expect(all).not.to.match(API_KEY)
  })
})
