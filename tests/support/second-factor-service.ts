import { expect } from 'chai'
import { right } from 'fp-ts/lib/Either.js'
import type { Environment } from '../../adapters/config/settings.ts'
import { Dependency, type Module, provide } from '../../adapters/index.ts'
import { nodeDigests } from '../../adapters/node/environment.ts'
import { checkLog } from '../../application/log/check-log.ts'
import type { Store } from '../../application/ports/store.ts'
import type { EventType } from '../../domain/event.ts'
import { change } from '../testkit/builders.ts'
import { eventsOf } from './events.ts'
import { eventually } from './eventually.ts'
import type { Answer } from './http-client.ts'
import type { FreshStores } from './one-store.ts'
import { succeed } from './outcome.ts'
import { type RunningService, startService } from './running-service.ts'
import { type EnrolledUser, enrolUser, SECRET, userOf, wrongCodeAt } from './second-factors.ts'
import { startTwoInstances, type TwoInstances } from './two-instances.ts'

export const SIGN_IN = '/api/v1/auth/user/token'
export const SECOND_STEP = '/api/v1/auth/user/second_factor'
export const STEP_UP = '/api/v1/profile/step_up'

/** The middle of a step of 30 seconds. */
export const START = Date.parse('2026-11-20T12:00:15Z')

/** An answer's status, the codes of its errors, and `Retry-After`. */
export const verdict = ({ status, body, headers }: Answer) => ({
  status,
  ...(body.errors === undefined ? {} : { codes: body.errors.map(({ code }: { code: number }) => code) }),
  ...(headers['retry-after'] === undefined ? {} : { retryAfter: headers['retry-after'] }),
})

export const refused = (...codes: ReadonlyArray<number>) => ({ status: 422, codes })
export const PASSED = { status: 200 }

type Instance = Pick<RunningService, 'send'>

/** Ada with an authenticator app and recovery codes, at an application. */
export type FactorDesk = Readonly<{
  running: RunningService
  store: Store
  /** The time of the service. */
  time: { now: number }
  passSeconds: (seconds: number) => void
  ada: EnrolledUser
  /** The code that her app shows now, or so many seconds from now. */
  code: (secondsFromNow?: number) => string
  wrongCode: () => string
  post: (
    path: string,
    token: string,
    body: object,
    headers?: Record<string, string>,
    at?: Instance,
  ) => Promise<Answer>
  /** Sends a request of the application. */
  ask: (path: string, body: object, headers?: Record<string, string>, at?: Instance) => Promise<Answer>
  signIn: (password?: string, more?: object) => Promise<Answer>
  /** The token of a sign-in that waits. */
  pending: (at?: Instance) => Promise<string>
  complete: (
    token: string | undefined,
    proof: object,
    headers?: Record<string, string>,
    at?: Instance,
  ) => Promise<Answer>
  /** Signs Ada in with a recovery code or, by default, with the code that her app shows now. */
  userToken: (proof?: object) => Promise<string>
  data: (type: EventType) => Promise<ReadonlyArray<Readonly<Record<string, unknown>>>>
  /** The reasons of the first so many refusals. They are recorded after the answer. */
  reasons: (count: number) => Promise<ReadonlyArray<unknown>>
  /** Removes all factors of Ada directly in the store. */
  resetFactors: () => Promise<void>
  expectAgreement: () => Promise<void>
}>

/** Starts a service on a fresh store, with a clock that the test sets. */
export const startFactorDesk = async (
  stores: FreshStores,
  environment: Environment = {},
  ...modules: ReadonlyArray<Module>
): Promise<FactorDesk & Readonly<{ stop: () => Promise<void> }>> => {
  const { store, ...lasting } = await stores.lasting()
  const time = { now: START }
  const running = await startService(
    { ...lasting.environment, ...environment },
    ...lasting.modules,
    ...timed(time),
    ...modules,
  )
  return { ...(await deskAt(running, store, time)), stop: () => running.stop() }
}

/** The same at two instances. `other` is the second one. */
export const startFactorDesks = async (
  stores: FreshStores,
  front?: (store: Store) => Store,
  environment: Environment = {},
): Promise<FactorDesk & Readonly<{ other: TwoInstances['other']; stop: () => Promise<void> }>> => {
  const { store, ...lasting } = await stores.lasting(front)
  const time = { now: START }
  const both = await startTwoInstances(
    { url: lasting.environment.DATABASE_URL },
    environment,
    ...lasting.modules,
    ...timed(time),
  )
  return { ...(await deskAt(both.one, store, time)), other: both.other, stop: both.stop }
}

/** The clocks of a service whose time the test sets. */
export const timed = (time: { now: number }): ReadonlyArray<Module> => [
  provide(Dependency.clock, () => () => time.now),
  provide(Dependency.steadyClock, () => async () => right(time.now)),
]

const deskAt = async (running: RunningService, store: Store, time: { now: number }): Promise<FactorDesk> => {
  const ada = await enrolUser(store, running.user.id)
  const post: FactorDesk['post'] = (path, token, body, headers = {}, at = running) =>
    at.send({ method: 'POST', path, token, body, headers })
  let known: Readonly<{ at: number; token: string }> | undefined
  const applicationToken = async () => {
    if (known === undefined || Math.abs(time.now - known.at) > 1_800_000)
      known = { at: time.now, token: await running.applicationToken() }
    return known.token
  }
  const ask: FactorDesk['ask'] = async (path, body, headers, at) =>
    post(path, await applicationToken(), body, headers, at)
  const credentials = (password = running.user.password) => ({ email: running.user.email, password })
  const pending: FactorDesk['pending'] = async (at) => {
    const { body } = await ask(SIGN_IN, credentials(), {}, at)
    return body.second_factor.token
  }
  const complete: FactorDesk['complete'] = (token, proof, headers, at) =>
    ask(SECOND_STEP, { token, ...proof }, headers, at)
  const code = (secondsFromNow = 0) => ada.codeAt(time.now + secondsFromNow * 1000)
  const data: FactorDesk['data'] = async (type) => (await eventsOf(store, type)).map((entry) => entry.data)
  return {
    running,
    store,
    time,
    passSeconds: (seconds) => {
      time.now += seconds * 1000
    },
    ada,
    code,
    wrongCode: () => wrongCodeAt(SECRET, time.now),
    post,
    ask,
    signIn: (password, more = {}) => ask(SIGN_IN, { ...credentials(password), ...more }),
    pending,
    complete,
    userToken: async (proof = { totp: code() }) => {
      const { status, body } = await complete(await pending(), proof)
      expect(status).to.equal(200)
      return body.token
    },
    data,
    reasons: (count) =>
      eventually(`${count} refusals`, async () => {
        const reasons = (await data('SecondFactorRefused')).map(({ reason }) => reason)
        return reasons.length >= count ? reasons : undefined
      }),
    resetFactors: async () => {
      const { id } = running.user
      const factors = await succeed(store.listFactors(id))
      await succeed(store.commit(change({ _tag: 'FactorsReset', user: await userOf(store, id), factors })))
    },
    expectAgreement: async () => {
      const { disagreements } = await succeed(
        checkLog({ store, clock: () => time.now, digests: nodeDigests }),
      )
      expect(disagreements).to.deep.equal([])
    },
  }
}
