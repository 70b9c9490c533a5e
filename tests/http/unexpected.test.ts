import { expect } from 'chai'
import { Dependency, provide } from '../../adapters/index.ts'
import { memoryStore } from '../../adapters/stores/memory/store.ts'
import { capturedLog } from '../support/captured-log.ts'
import { lastingHeaders } from '../support/lasting-headers.ts'
import { plainHasher } from '../support/plain-hasher.ts'
import { type RunningService, startService } from '../support/running-service.ts'

/** Values that a faulty component throws. The message of each quotes the password. */
const THROWN: ReadonlyArray<[string, (password: string) => unknown]> = [
  ['an error', (password) => new Error(`cannot hash ${password}`)],
  ['an error with a code', (password) => Object.assign(new TypeError(password), { code: 'ERR_HASH' })],
  [
    'an error whose message looks like a stack',
    (password) => new Error(`no hash\n    at ${password} (x.js:1)`),
  ],
  ['an error with fields', (password) => Object.assign(new Error('x'), { body: password, status: 200 })],
  ['an error with a cause', (password) => new Error('x', { cause: new Error(password) })],
  ['a text', (password) => password],
  ['an object', (password) => ({ password, status: 418, message: password })],
  ['nothing', () => undefined],
  ['null', () => null],
]

describe('a component that throws', () => {
  let thrown: () => unknown
  let isStoreBroken = false
  let running: RunningService
  let token: string
  const { log, lines } = capturedLog()
  before(async () => {
    const store = memoryStore()
    running = await startService(
      {},
      provide(Dependency.log, () => log),
      provide(Dependency.storage, () => ({
        store: {
          ...store,
          findTokenHolder: (id, tokenId) => {
            if (isStoreBroken) throw new Error(id)
            return store.findTokenHolder(id, tokenId)
          },
        },
      })),
      provide(Dependency.passwordHasher, () => ({
        ...plainHasher(),
        verify: () => async () => {
          throw thrown()
        },
      })),
    )
    thrown = () => undefined
    token = await running.applicationToken()
  })
  after(() => running.stop())

  const PASSWORD = 'Tr0ub4dor'
  const signIn = (id: string) =>
    running.send({
      method: 'POST',
      path: '/api/v1/auth/user/token',
      token,
      body: { email: 'ada@example.com', password: PASSWORD },
      headers: { 'x-request-id': id },
    })

  const FAILED = {
    success: false,
    code: 500,
    message: 'Unexpected error. The server logged it under the request id.',
  }

  THROWN.forEach(([what, make], index) => {
    it(`${what} causes a 500 without details and one log line without a secret`, async () => {
      thrown = () => make(PASSWORD)
      const id = `thrown-${index}`
      const answer = await signIn(id)
      expect(answer.status).to.equal(500)
      expect(answer.body).to.deep.equal(FAILED)
      expect(answer.headers['x-request-id']).to.equal(id)
      expect(lastingHeaders(answer)).to.deep.equal({
        'cache-control': 'no-store',
        'content-length': String(JSON.stringify(FAILED).length),
        'content-type': 'application/json; charset=utf-8',
        'x-content-type-options': 'nosniff',
      })
      const own = lines.filter((line) => line.includes(`"${id}"`)).map((line) => JSON.parse(line))
      expect(own.map(({ msg }) => msg)).to.deep.equal(['a request failed unexpectedly', 'answered'])
      expect(own.filter((line) => JSON.stringify(line).includes(PASSWORD))).to.deep.equal([])
    })
  })

  it('is logged with the place of the error', async () => {
    thrown = () => new RangeError('x')
    await signIn('where')
    const line = lines.find((text) => text.includes('"where"') && text.includes('unexpectedly')) ?? '{}'
    const { error } = JSON.parse(line)
    expect(error.name).to.equal('RangeError')
    expect(error.at[0]).to.match(/^\s+at .*unexpected\.test\./)
  })

  it('before it returns a promise causes a 500, too', async () => {
    isStoreBroken = true
    const answer = await signIn('at-once')
    isStoreBroken = false
    expect(answer.status).to.equal(500)
    expect(answer.body).to.deep.equal(FAILED)
  })

  it('does not affect the next request', async () => {
    thrown = () => new Error('x')
    await signIn('before')
    expect((await running.send({ method: 'GET', path: '/healthz' })).status).to.equal(200)
  })
})
