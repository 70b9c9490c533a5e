import type { Either } from 'fp-ts/lib/Either.js'
import type { Task } from 'fp-ts/lib/Task.js'
import { Dependency, memoryFailureCounts, memoryStore, provide } from '../../adapters/index.ts'
import type { FailureCounts } from '../../application/ports/failure-counts.ts'
import type { LogEntry, Store } from '../../application/ports/store.ts'
import { recorder } from '../../application/recording/recorder.ts'
import { type AccountDesk, openDesk } from '../support/account-desk.ts'
import { capturedLog } from '../support/captured-log.ts'
import type { Answer, TestRequest } from '../support/http-client.ts'
import { withDeadlines } from '../support/manual-deadlines.ts'
import { type ManualTimers, manualTimers } from '../support/manual-timers.ts'
import { succeed } from '../support/outcome.ts'
import { plainHasher } from '../support/plain-hasher.ts'
import { type Gate, gate } from '../support/waiting.ts'

/** What can keep a request waiting. */
export type Place = 'authentication' | 'read' | 'count' | 'hash' | 'commit' | 'answer to the commit'

export type WaitingRequest = keyof ReturnType<typeof requestsOf>

/** A service that each place can keep waiting, and whose deadlines pass when a test says so. */
export type WaitingService = Readonly<{
  desk: AccountDesk
  timers: ManualTimers
  /** The gates that are closed now. */
  held: Partial<Record<Place, Gate>>
  /** The outcomes of the recorder. */
  recorded: ReadonlyArray<Either<unknown, void>>
  requests: Readonly<Record<WaitingRequest, TestRequest>>
  /** Sends the request with its own id. */
  send: (request: WaitingRequest) => Promise<Answer>
  /** Sends a request, and lets its deadline pass while it waits at this place. */
  late: (request: WaitingRequest, place: Place) => Promise<Readonly<{ answer: Answer; stop: Gate }>>
  /** The lines and the events with the id of such requests. */
  lines: () => ReadonlyArray<Readonly<Record<string, unknown>>>
  events: () => Promise<ReadonlyArray<LogEntry>>
  stop: () => Promise<void>
}>

const NEXT = 'battery staple'
const ID = 'this-one'

type Passing = <A>(place: Place, task: Task<A>) => Task<A>

export const startWaiting = async (): Promise<WaitingService> => {
  const held: WaitingService['held'] = {}
  const passing: Passing = (place, task) => async () => {
    await held[place]?.pass()
    return task()
  }
  const timers = manualTimers()
  const recorded: Array<Either<unknown, void>> = []
  const store = slowStore(passing)
  const { log, lines } = capturedLog()
  const desk = await openDesk(
    {},
    provide(Dependency.storage, () => ({ store, failureCounts: slowCounts(passing) })),
    provide(Dependency.passwordHasher, () => plainHasher(passing('hash', async () => undefined))),
    provide(
      Dependency.recorder,
      {
        store: Dependency.store,
        clock: Dependency.clock,
        random: Dependency.random,
        digests: Dependency.digests,
      },
      (needs) => {
        const record = recorder(needs)
        return (facts, actor, context) => async () => {
          const outcome = await record(facts, actor, context)()
          recorded.push(outcome)
          return outcome
        }
      },
    ),
    provide(Dependency.log, () => log),
    withDeadlines(timers.startTimer),
  )
  const requests = requestsOf(desk, {
    application: await desk.applicationToken(),
    user: await desk.userToken(),
    recovery: await desk.recoveryToken(),
  })
  recorded.length = 0

  const send: WaitingService['send'] = (request) => {
    const sent: TestRequest = requests[request]
    return desk.send({ ...sent, headers: { ...sent.headers, 'x-request-id': ID } })
  }

  return {
    desk,
    timers,
    held,
    recorded,
    requests,
    send,
    late: async (request, place) => {
      const stop = gate()
      held[place] = stop
      const asked = send(request)
      await stop.reached
      timers.pass()
      return { answer: await asked, stop }
    },
    lines: () => lines.map((line) => JSON.parse(line)).filter(({ request_id }) => request_id === ID),
    events: async () =>
      (await succeed(store.readEvents({ after: 0, limit: 1_000 }))).filter(
        ({ request_id }) => request_id === ID,
      ),
    stop: async () => {
      for (const one of Object.values(held)) one.open()
      await desk.stop()
    },
  }
}

const slowStore = (passing: Passing): Store => {
  const fast = memoryStore()
  return {
    ...fast,
    commit: (change) => async () => {
      const outcome = await passing('commit', fast.commit(change))()
      return passing('answer to the commit', async () => outcome)()
    },
    findApplication: (id) => passing('read', fast.findApplication(id)),
    findOneTimeToken: (digest) => passing('read', fast.findOneTimeToken(digest)),
    findUserByEmail: (email) => passing('read', fast.findUserByEmail(email)),
    findSession: (id) => passing('authentication', fast.findSession(id)),
    findTokenHolder: (id, tokenId) => passing('authentication', fast.findTokenHolder(id, tokenId)),
  }
}

const slowCounts = (passing: Passing): FailureCounts => {
  const fast = memoryFailureCounts(Date.now)
  return { ...fast, update: (key, decide) => passing('count', fast.update(key, decide)) }
}

type Tokens = Readonly<{ application: string; user: string; recovery: string }>

const requestsOf = (desk: AccountDesk, tokens: Tokens) =>
  ({
    profile: { method: 'GET', path: '/api/v1/profile', token: tokens.user },
    'application token': { method: 'POST', path: '/api/v1/auth/application/token', body: desk.keys },
    'sign-in': {
      method: 'POST',
      path: '/api/v1/auth/user/token',
      token: tokens.application,
      body: { email: desk.user.email, password: desk.user.password },
    },
    registration: {
      method: 'POST',
      path: '/api/v1/users',
      token: tokens.application,
      body: { email: 'grace@example.com', password: 'compiler' },
    },
    change: {
      method: 'POST',
      path: '/api/v1/profile/change_password',
      token: tokens.user,
      body: { old_password: desk.user.password, new_password: NEXT, new_password_check: NEXT },
    },
    recovery: {
      method: 'POST',
      path: '/api/v1/users/recovery/complete',
      token: tokens.application,
      body: { token: tokens.recovery, new_password: NEXT, new_password_check: NEXT },
    },
    'OAuth token': {
      method: 'POST',
      path: '/oauth2/token',
      body: new URLSearchParams({
        grant_type: 'client_credentials',
        client_id: desk.keys.public_api_key,
        client_secret: desk.keys.private_api_key,
      }).toString(),
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
    },
  }) as const satisfies Record<string, TestRequest>
