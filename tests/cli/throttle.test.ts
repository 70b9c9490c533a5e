import { expect } from 'chai'
import { type ApiClient, apiClient } from '../support/api-client.ts'
import { onSqlite } from '../support/one-store.ts'
import type { ServingHere } from '../support/workplace.ts'

const LIMIT = { THROTTLE_ACCOUNT_FAILURES: '3' }

onSqlite('the command line beside a server under a guessing attack', (stores) => {
  const { portcullis, serve, remove } = stores.workplace()
  let server: ServingHere
  let api: ApiClient
  let token: string
  before(async () => {
    server = await serve('serve', LIMIT)
    api = apiClient(server.url)
    token = (
      await api.issueToken(JSON.parse((await portcullis('application create --name shop --json')).out))
    ).body.token
  })
  after(async () => {
    await api.close()
    expect(await server.end()).to.equal(0)
    remove()
  })

  const create = (email: string) =>
    portcullis(`user create --email ${email} --password-stdin`, { input: 'first' })
  const signIn = async (email: string, password: string) => (await api.signIn(token, email, password)).status
  const failTooOften = async (email: string) => {
    for (const status of [422, 422, 422, 429]) expect(await signIn(email, 'wrong')).to.equal(status)
    expect(await signIn(email, 'first')).to.equal(429)
  }

  it('user set-password ends the wait at once, and the next guesses start a new count', async () => {
    await create('ada@example.com')
    await failTooOften('ada@example.com')
    const ended = await portcullis('user set-password ADA@example.com --password-stdin', { input: 'second' })
    expect(ended.status, ended.err).to.equal(0)
    expect(await signIn('ada@example.com', 'second')).to.equal(200)
    await failTooOften('ada@example.com')
  })

  it('user set-password ends only the wait of its user, and only if it succeeds', async () => {
    await create('bob@example.com')
    await create('eve@example.com')
    await failTooOften('bob@example.com')
    await failTooOften('eve@example.com')
    const [set, refused] = await Promise.all([
      portcullis('user set-password bob@example.com --password-stdin', { input: 'second' }),
      portcullis('user set-password eve@example.com --password-stdin', { input: '' }),
    ])
    expect([set.status, refused.status]).to.deep.equal([0, 1])
    expect(await signIn('bob@example.com', 'second')).to.equal(200)
    expect(await signIn('eve@example.com', 'first')).to.equal(429)
  })
})
