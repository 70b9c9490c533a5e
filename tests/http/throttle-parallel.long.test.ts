import { expect } from 'chai'
import { apiClient, type KeyPair } from '../support/api-client.ts'
import { onEverySharedStore } from '../support/every-store.ts'
import { onMemory } from '../support/one-store.ts'
import { parseRaw, sendRaw } from '../support/raw-connection.ts'
import { requestText } from '../support/raw-text.ts'
import { startService } from '../support/running-service.ts'

const PATIENCE_MS = 15_000

const guess = async (port: number, token: string, password: string): Promise<number> => {
  const headers = ['Content-Type: application/json', `Authorization: Bearer ${token}`]
  const body = JSON.stringify({ email: 'ada@example.com', password })
  // Each request has its own connection, which closes after the response.
  return parseRaw(
    await sendRaw(port, requestText('POST', '/api/v1/auth/user/token', headers, body), PATIENCE_MS),
  ).status
}

const guessesAtOnce = async (count: number, ports: ReadonlyArray<number>, token: string) => {
  const statuses = await Promise.all(
    Array.from({ length: count }, (_, index) =>
      guess(ports[index % ports.length] ?? 0, token, `guess ${index}`),
    ),
  )
  return {
    refused: statuses.filter((status) => status === 422).length,
    throttled: statuses.filter((status) => status === 429).length,
  }
}

onMemory('100 concurrent guesses, each on its own connection', (stores) => {
  it('are checked at most 30 times', async () => {
    // An empty setting counts as not set: 30 is the default.
    const running = await startService({ ...(await stores.fresh()), THROTTLE_ACCOUNT_FAILURES: '' })
    try {
      const { port } = running
      const token = await running.applicationToken()
      expect(await guessesAtOnce(100, [port], token)).to.deep.equal({ refused: 30, throttled: 70 })
      expect(await guess(port, token, 'correct horse')).to.equal(429)
    } finally {
      await running.stop()
    }
  })
})

onEverySharedStore('guesses through two servers on one store', (stores) => {
  const { portcullis, asProcess, remove } = stores.workplace()
  after(remove)

  it('count together, also if they come at once, and still after kill -9', async () => {
    const environment = { THROTTLE_ACCOUNT_FAILURES: '5', PUBLIC_URL: 'http://service.test' }
    const serve = () => asProcess.serve('serve', environment)
    const [one, other] = await Promise.all([serve(), serve()])
    const keys: KeyPair = JSON.parse((await portcullis('application create --name shop --json')).out)
    await portcullis('user create --email ada@example.com --password-stdin', { input: 'correct horse' })
    const api = apiClient(one.url)
    const { token } = (await api.issueToken(keys)).body
    await api.close()
    const guesses = await guessesAtOnce(20, [one.port, other.port], token)
    expect(guesses).to.deep.equal({ refused: 5, throttled: 15 })
    await one.end('SIGKILL')
    const again = await serve()
    for (const { port } of [other, again]) expect(await guess(port, token, 'correct horse')).to.equal(429)
    for (const server of [other, again]) expect(await server.end()).to.equal(0)
  })
})
