import { expect } from 'chai'
import { right } from 'fp-ts/lib/Either.js'
import type { Environment } from '../../adapters/config/settings.ts'
import { Dependency, provide } from '../../adapters/index.ts'
import { nodeDigests } from '../../adapters/node/environment.ts'
import { checkLog } from '../../application/log/check-log.ts'
import type { Store } from '../../application/ports/store.ts'
import { FACTOR_SETTINGS, factorDesk, verifiedUser } from './factor-desk.ts'
import type { FreshStores } from './one-store.ts'
import { succeed } from './outcome.ts'
import { type RunningService, startService } from './running-service.ts'
import { sessionsAt } from './sessions.ts'

/** The middle of a step of 30 seconds, near enough. */
const START = Date.parse('2026-11-20T12:00:10Z')

/** The lifetime of a token. */
export const TTL = 10_000

/** A service whose users may enrol, with a clock that the test sets. Its hooks belong to the `describe` that calls it. */
export const factorService = (stores: FreshStores, environment: Environment = FACTOR_SETTINGS) => {
  let store: Store
  let running: RunningService
  let now: number
  beforeEach(async () => {
    now = START
    const lasting = await stores.lasting()
    store = lasting.store
    running = await startService(
      {
        ...lasting.environment,
        ...environment,
        USER_TOKEN_TTL: `${TTL}`,
        PUBLIC_URL: 'https://auth.example.com',
      },
      ...lasting.modules,
      provide(Dependency.clock, () => () => now),
      provide(Dependency.steadyClock, () => async () => right(now)),
    )
  })
  afterEach(() => running.stop())

  return {
    store: () => store,
    running: () => running,
    now: () => now,
    passSeconds: (seconds: number): void => {
      now += seconds * 1000
    },
    desk: () => factorDesk(running, () => now),
    status: (token: string) => sessionsAt(running).status(token),
    newUser: async () => {
      const user = await verifiedUser(running)
      return { user, token: await running.userToken(user) }
    },
    expectAgreement: async () => {
      const { disagreements } = await succeed(checkLog({ store, clock: () => now, digests: nodeDigests }))
      expect(disagreements).to.deep.equal([])
    },
  }
}

/** The codes of a 422 with their fields. */
export const codesOf = (body: { errors: ReadonlyArray<{ code: number; param: string }> }) =>
  body.errors.map(({ code, param }) => [code, param])
