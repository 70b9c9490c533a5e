import { expect } from 'chai'
import { left } from 'fp-ts/lib/Either.js'
import { Dependency, provide } from '../../adapters/index.ts'
import { memoryStore } from '../../adapters/stores/memory/store.ts'
import { capturedLog } from '../support/captured-log.ts'
import { type RunningService, startService } from '../support/running-service.ts'

/** Numbers of pino’s levels. */
const DEBUG = 20
const INFO = 30
const WARN = 40
const ERROR = 50

const PROFILE = '/api/v1/profile'

type State = 'as usual' | 'unavailable' | 'broken'

/** Requests to a service in some state, and the levels of the resulting log lines. */
const LEVELS: ReadonlyArray<
  readonly [method: string, path: string, state: State, status: number, levels: ReadonlyArray<number>]
> = [
  ['GET', '/healthz', 'as usual', 200, [DEBUG]],
  ['GET', '/readyz', 'as usual', 200, [DEBUG]],
  ['HEAD', '/metrics', 'as usual', 200, [DEBUG]],
  ['OPTIONS', '/metrics', 'as usual', 204, [INFO]],
  ['POST', '/healthz', 'as usual', 405, [INFO]],
  ['GET', '/healthz/', 'as usual', 404, [INFO]],
  ['GET', '/.well-known/jwks.json', 'as usual', 200, [INFO]],
  ['GET', PROFILE, 'as usual', 200, [INFO]],
  ['GET', '/readyz', 'unavailable', 503, [WARN]],
  ['GET', PROFILE, 'unavailable', 503, [WARN]],
  ['GET', PROFILE, 'broken', 500, [ERROR, WARN]],
]

describe('the levels of the log of requests', () => {
  const { log, lines } = capturedLog()
  const store = memoryStore()
  let state: State = 'as usual'
  let running: RunningService
  const inState = <A>(task: () => Promise<A>): (() => Promise<A>) => {
    if (state === 'broken') throw new Error('broken')
    return state === 'as usual'
      ? task
      : async () => left({ _tag: 'StoreUnavailable', reason: 'EPIPE' }) as never
  }
  before(async () => {
    running = await startService(
      {},
      provide(Dependency.log, () => log),
      provide(Dependency.storage, () => ({
        store: {
          ...store,
          findSession: (id) => inState(store.findSession(id)),
          listSigningKeys: () => inState(store.listSigningKeys()),
        },
      })),
    )
  })
  after(() => running.stop())

  const levelsOf = (id: string): ReadonlyArray<number> =>
    lines.filter((line) => line.includes(`"${id}"`)).map((line) => JSON.parse(line).level)

  for (const [method, path, when, status, levels] of LEVELS) {
    it(`are ${levels.join(' and ')} for ${method} ${path} with status ${status} and state ${when}`, async () => {
      const token = await running.userToken()
      const id = `level-${method}-${path.replaceAll('/', '-')}-${status}`
      state = when
      const answer = await running
        .send({ method, path, token, headers: { 'x-request-id': id } })
        .finally(() => {
          state = 'as usual'
        })
      expect(answer.status).to.equal(status)
      expect(levelsOf(id)).to.deep.equal(levels)
    })
  }
})
