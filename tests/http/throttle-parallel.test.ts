import { expect } from 'chai'
import { apiClient, type KeyPair } from '../support/api-client.ts'
import type { Serving } from '../support/command.ts'
import { onEverySharedStore } from '../support/every-store.ts'
import { onMemory } from '../support/one-store.ts'
import { parseRaw, sendRaw } from '../support/raw-connection.ts'
import { requestText } from '../support/raw-text.ts'
import { startService } from '../support/running-service.ts'

/** The default limit: an empty setting counts as not set. */
const DEFAULT_LIMIT = { THROTTLE_ACCOUNT_FAILURES: '' }
const LIMIT = 30
const PATIENCE_MS = 15_000

const guess = async (port: number, token: string, email: string, password: string): Promise<number> => {
  const headers = ['Content-Type: application/json', `Authorization: Bearer ${token}`]
  const body = JSON.stringify({ email, password })
  // Each request has its own connection, which closes after the response.
  return parseRaw(
    await sendRaw(port, requestText('POST', '/api/v1/auth/user/token', headers, body), PATIENCE_MS),
  ).status
}

const guessesAtOnce = async (ports: ReadonlyArray<number>, token: string, email: string) => {
  const statuses = await Promise.all(
    Array.from({ length: 100 }, (_, index) =>
      guess(ports[index % ports.length] ?? 0, token, email, `guess ${index}`),
    ),
  )
  return {
    refused: statuses.filter((status) => status === 422).length,
    throttled: statuses.filter((status) => status === 429).length,
  }
}

onMemory('100 concurrent guesses, each on its own connection', (stores) => {
  for (const [whose, email] of [
    ['an account', 'ada@example.com'],
    ['an unknown account', 'nobody@example.com'],
  ] as const) {
    it(`are checked at most 30 times for the password of ${whose}`, async () => {
      const running = await startService({ ...(await stores.fresh()), ...DEFAULT_LIMIT })
      try {
        const token = await running.applicationToken()
        const { port } = running
        expect(await guessesAtOnce([port], token, email)).to.deep.equal({ refused: LIMIT, throttled: 70 })
        expect(await guess(port, token, email, 'correct horse')).to.equal(429)
      } finally {
        await running.stop()
      }
    })
  }
})

onEverySharedStore('guesses through two servers on one store', (stores) => {
  const { portcullis, asProcess, remove } = stores.workplace()
  const { serve } = asProcess
  const environment = { ...DEFAULT_LIMIT, PUBLIC_URL: 'http://service.test' }
  let servers: ReadonlyArray<Serving>
  let keys: KeyPair
  let token: string
  before(async () => {
    servers = await Promise.all([serve('serve', environment), serve('serve', environment)])
    keys = JSON.parse((await portcullis('application create --name shop --json')).out)
    for (const email of ['ada@example.com', 'bob@example.com'])
      await portcullis(`user create --email ${email} --password-stdin`, { input: 'correct horse' })
    const api = apiClient(servers[0]?.url ?? '')
    token = (await api.issueToken(keys)).body.token
    await api.close()
  })
  after(async () => {
    for (const server of servers) expect(await server.end()).to.equal(0)
    remove()
  })

  const ports = () => servers.map(({ port }) => port)

  it('count together: the servers check at most 30 of 100 concurrent guesses', async () => {
    expect(await guessesAtOnce(ports(), token, 'ada@example.com')).to.deep.equal({
      refused: LIMIT,
      throttled: 70,
    })
    for (const port of ports())
      expect(await guess(port, token, 'ada@example.com', 'correct horse')).to.equal(429)
  })

  it('count together in sequence, and a success at one server resets the count at the other', async () => {
    const [one = 0, other = 0] = ports()
    for (let round = 0; round < 2; round += 1) {
      for (let index = 0; index < LIMIT - 1; index += 1)
        expect(await guess(index % 2 === 0 ? one : other, token, 'bob@example.com', 'wrong')).to.equal(422)
      expect(await guess(one, token, 'bob@example.com', 'correct horse')).to.equal(200)
    }
    for (let index = 0; index < LIMIT; index += 1)
      expect(await guess(other, token, 'bob@example.com', 'wrong')).to.equal(422)
    expect(await guess(one, token, 'bob@example.com', 'correct horse')).to.equal(429)
  })

  for (const signal of ['SIGTERM', 'SIGKILL'] as const) {
    it(`still count after a restart that follows ${signal}`, async () => {
      const email = `${signal.toLowerCase()}@example.com`
      const [server, ...others] = servers
      if (server === undefined) throw new Error('no server')
      expect(await guessesAtOnce([server.port], token, email)).to.deep.equal({
        refused: LIMIT,
        throttled: 70,
      })
      await server.end(signal)
      servers = [...others, await serve('serve', environment)]
      for (const port of ports()) expect(await guess(port, token, email, 'wrong')).to.equal(429)
    })
  }
})
