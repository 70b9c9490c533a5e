import { expect } from 'chai'
import type { Finding } from '../../application/ports/inspection.ts'
import { type ApiClient, apiClient } from '../support/api-client.ts'
import { onSqlite } from '../support/one-store.ts'
import { type ServingHere, workplace } from '../support/workplace.ts'

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

  it('doctor passes', async () => {
    await failTooOften('nobody@example.com')
    const environment = { ...LIMIT, PUBLIC_URL: server.url }
    const checks: ReadonlyArray<Finding> = JSON.parse(
      (await portcullis('doctor --json', { environment })).out,
    ).checks
    const failed = checks.filter(({ ok }) => !ok).map(({ name }) => name)
    expect(failed, 'hashes of tests are cheap').to.deep.equal(['hashing'])
  })
})

describe('a back-up of a store after a guessing attack', () => {
  const { portcullis, serve, remove } = workplace()
  after(remove)

  it('contains the failure counts', async () => {
    const server = await serve('serve', LIMIT)
    const api = apiClient(server.url)
    const keys = JSON.parse((await portcullis('application create --name shop --json')).out)
    const { token } = (await api.issueToken(keys)).body
    const guess = async (at = api) => (await at.signIn(token, 'ada@example.com', 'a guess')).status
    for (const status of [422, 422, 422, 429]) expect(await guess()).to.equal(status)
    const backup = await portcullis('backup copy.db')
    expect(backup.status, backup.err).to.equal(0)
    const copy = await serve('serve', { ...LIMIT, DATABASE_URL: 'sqlite:./copy.db', PUBLIC_URL: server.url })
    const beside = apiClient(copy.url)
    expect(await guess(beside)).to.equal(429)
    for (const client of [api, beside]) await client.close()
    for (const each of [server, copy]) expect(await each.end()).to.equal(0)
  })
})
