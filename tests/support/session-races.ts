import { expect } from 'chai'
import { Dependency, provide } from '../../adapters/index.ts'
import type { Store } from '../../application/ports/store.ts'
import { CLOCK_TOLERANCE_SECONDS } from '../../domain/clock-tolerance.ts'
import type { EventType } from '../../domain/event.ts'
import { eventsOf } from './events.ts'
import { heldCommits } from './held-commits.ts'
import type { Answer } from './http-client.ts'
import { basic, REVOKE, sendForm } from './oauth.ts'
import type { FreshStores } from './one-store.ts'
import { OPERATOR } from './operator.ts'
import { succeed } from './outcome.ts'
import { plainHasher } from './plain-hasher.ts'
import { CONTEXT } from './request-context.ts'
import type { RunningService } from './running-service.ts'
import { scopedToken } from './scoped-token.ts'
import { timed } from './second-factor-service.ts'
import { SESSIONS, sessionsAt } from './sessions.ts'
import { claimsOf } from './token-claims.ts'
import { startTwoInstances, type TwoInstances } from './two-instances.ts'

const NOW = Date.parse('2026-11-20T12:00:00Z')
const SIGN_IN = '/api/v1/auth/user/token'
const END_SESSIONS = '/api/v1/users/end_sessions'
const CHANGE = '/api/v1/profile/change_password'

/** The lifetime of a token, and the password of each user. */
export const TTL = 1_000
export const PASSWORD = 'old'

/** A user with two sessions of one application. */
export type Newcomer = Readonly<{
  id: string
  email: string
  applicationId: string
  keys: RunningService['keys']
  /** The token of the application. */
  caller: string
  session: string
  other: string
}>

export type Instance = TwoInstances['other']

/** What ends the session, at an instance, and the event that it writes. `setsPassword`: the former password is then wrong. */
export type Ending = Readonly<{
  writes: EventType
  end: (at: Instance, user: Newcomer) => Promise<unknown>
  setsPassword?: true
}>

/**
 * Two instances on one store. Its hooks belong to the `describe` that calls it.
 *
 * @param hasExpired whether the token of the first session has, while the session goes on
 */
export const sessionRaces = (stores: FreshStores, { hasExpired = false } = {}) => {
  const time = { now: NOW }
  let both: TwoInstances
  let store: Store
  const { front, overtake, hold, release } = heldCommits()

  before(async () => {
    const lasting = await stores.lasting(front)
    store = lasting.store
    both = await startTwoInstances(
      { url: lasting.environment.DATABASE_URL },
      {
        USER_TOKEN_TTL: `${TTL}`,
        SESSION_TTL: '5000',
        ...(hasExpired ? { SESSION_IDLE_TTL: '4000' } : {}),
      },
      ...lasting.modules,
      ...timed(time),
      provide(Dependency.passwordHasher, () => plainHasher()),
    )
  })
  afterEach(release)
  after(() => both.stop())

  const post = ({ send }: Instance, path: string, token: string, body: object = {}) =>
    send({ method: 'POST', path, token, body })
  const done = async (answer: Promise<Answer>) => expect((await answer).status).to.equal(200)

  let count = 0
  const newcomer = async (): Promise<Newcomer> => {
    const { service } = both.one
    count += 1
    const credentials = { email: `user-${count}@example.com`, password: PASSWORD }
    const { id } = await succeed(service.registerUser(CONTEXT, credentials, OPERATOR))
    const made = await succeed(service.registerApplication(CONTEXT, { name: 'shop', scope: 'users:sign_in' }))
    const keys = { public_api_key: made.publicApiKey, private_api_key: made.privateApiKey }
    const { token: caller } = await succeed(service.issueApplicationToken(CONTEXT, made))
    const signIn = async (label: string): Promise<string> =>
      (await post(both.one, SIGN_IN, caller, { ...credentials, label })).body.token
    const session = await signIn('Firefox')
    if (hasExpired) time.now += 1000 * (TTL + CLOCK_TOLERANCE_SECONDS + 1)
    const other = await signIn('Chromium')
    return { id, email: credentials.email, applicationId: made.application.id, keys, caller, session, other }
  }

  const positions = async (type: EventType, ...subjects: ReadonlyArray<string>) =>
    (await eventsOf(store, type))
      .filter(({ subject }) => subjects.includes(subject.id))
      .map(({ position }) => position)
  const statuses = async (token: string) => [
    await sessionsAt(both.one).status(token),
    await sessionsAt(both.other).status(token),
  ]
  const expectAgreement = async () =>
    expect((await succeed(both.one.service.checkLog)).disagreements).to.deep.equal([])

  const endOthers = (at: Instance, token: string) => done(post(at, `${SESSIONS}/end_others`, token))
  const changePassword = (at: Instance, token: string) =>
    done(post(at, CHANGE, token, { old_password: PASSWORD, new_password: 'new', new_password_check: 'new' }))
  const endings: Readonly<Record<string, Ending>> = {
    'a sign-out': {
      writes: 'UserSignedOut',
      end: ({ send }, { session }) => done(send({ method: 'DELETE', path: SIGN_IN, token: session })),
    },
    'its end by another session': {
      writes: 'UserSignedOut',
      end: (at, { session, other }) =>
        done(post(at, `${SESSIONS}/end`, other, { session_id: claimsOf(session).sid })),
    },
    'the end of all sessions but another': {
      writes: 'OtherSessionsEnded',
      end: (at, { other }) => endOthers(at, other),
    },
    'a password change by another session': {
      writes: 'PasswordChanged',
      end: (at, { other }) => changePassword(at, other),
      setsPassword: true,
    },
    'a password that an operator sets': {
      writes: 'PasswordSet',
      end: ({ service }, { email }) =>
        succeed(service.setPassword(CONTEXT, { user: email, password: 'set' })),
      setsPassword: true,
    },
    'the end of all sessions': {
      writes: 'SessionsEnded',
      end: async (at, { id }) =>
        done(post(at, END_SESSIONS, await scopedToken(both.one, 'users:manage'), { user_id: id })),
    },
    'a disabling': {
      writes: 'UserDisabled',
      end: ({ service }, { email }) => succeed(service.disableUser(CONTEXT, email)),
    },
    'a removal': {
      writes: 'UserRemoved',
      end: ({ service }, { email }) => succeed(service.removeUser(CONTEXT, email)),
    },
    'the revocation of its token': {
      writes: 'UserSignedOut',
      end: (at, { keys, session }) => done(sendForm(at, REVOKE, { token: session }, basic(keys))),
    },
    'the revocation of its application': {
      writes: 'ApplicationRevoked',
      end: ({ service }, { applicationId }) => succeed(service.revokeApplication(CONTEXT, applicationId)),
    },
  }

  return {
    at: () => both,
    hold,
    changePassword,
    endOthers,
    endings,
    expectAgreement,
    newcomer,
    overtake,
    positions,
    post,
    statuses,
  }
}
