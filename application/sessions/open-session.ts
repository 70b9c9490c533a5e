import { isLeft, isRight, right } from 'fp-ts/lib/Either.js'
import { pipe } from 'fp-ts/lib/function.js'
import { concat, type NonEmptyArray } from 'fp-ts/lib/NonEmptyArray.js'
import { fromNullable, isNone, isSome, map, none, type Option } from 'fp-ts/lib/Option.js'
import * as TE from 'fp-ts/lib/TaskEither.js'
import type { Application } from '../../domain/application.ts'
import { type Assurance, assuranceClaims, type Methods, sessionAssurance } from '../../domain/assurance.ts'
import type { FactorUse } from '../../domain/factor.ts'
import { type LifetimeSettings, lifetimesOf } from '../../domain/lifetimes.ts'
import type { OneTimeToken } from '../../domain/one-time-token.ts'
import type { Roles } from '../../domain/roles.ts'
import { isAlive, type Session } from '../../domain/session.ts'
import type { User } from '../../domain/user.ts'
import type { SignUserToken } from '../keys/sign-user-token.ts'
import type { Clock, Random } from '../ports/environment.ts'
import type { Store, StoreUnavailable } from '../ports/store.ts'
import type { KeyUnusable } from '../ports/token-format.ts'
import type { Fact } from '../recording/facts.ts'
import type { Browser, RequestContext } from '../recording/recorder.ts'
import type { Tagged } from '../recording/retry-on-conflict.ts'
import { type Throttle, type Throttled, withThrottle } from '../throttling/throttle.ts'
import { endUserKeys, signInKeys } from '../throttling/throttle-key.ts'
import { sessionsBeyondBound } from './list-sessions.ts'

/** `expiresInSeconds` is the lifetime of the token, `sessionExpiresInSeconds` that of the session without a renewal. */
export type SignedIn = Readonly<{
  sessionId: string
  token: string
  expiresInSeconds: number
  sessionExpiresInSeconds: number
  userId: string
  emailVerified: boolean
  roles: Roles
}> &
  Assurance

/** The sign-in that a session is opened for. */
type Opening = Readonly<{
  user: User
  application: Application
  label: Option<string>
  /** Whether the user wants to be remembered. */
  remember: boolean
  methods: Methods
  context: RequestContext
  /** The factor after its use, and the token of the first step if there was one. Absent if the password alone was enough. */
  used?: FactorUse & Readonly<{ token?: OneTimeToken }>
}>

type Dependencies<E> = Readonly<{
  store: Pick<Store, 'listSessions' | 'findSession'>
  signUserToken: SignUserToken
  clock: Clock
  random: Random
  settings: LifetimeSettings
  throttle: Throttle
  /** Records the sign-in, and the use of its factor in the same change. */
  write: (facts: NonEmptyArray<Fact>) => TE.TaskEither<E, void>
}>

/**
 * Opens a session, within the limit of sign-ins of its user. Only sessions that are opened count, so strangers cannot use up the limit.
 */
export const openSession = <E extends Tagged>(
  dependencies: Dependencies<E>,
  opening: Opening,
): TE.TaskEither<E | Throttled | KeyUnusable | StoreUnavailable, SignedIn> =>
  withThrottle(dependencies.throttle, signInKeys(opening.user.id, networkOf(opening)), {
    check: open(dependencies, opening),
    isSuccess: () => false,
  })

const networkOf = ({ context, application }: Opening) => endUserKeys(context, application.id)

/**
 * It signs the token first, so that no session is recorded if signing fails.
 *
 * The same change ends the sessions of the user beyond the bound. Concurrent sign-ins choose the same ones, and only one of them can end
 * them: the others are written without, so that no sign-in has to wait for another.
 */
const open =
  <E extends Tagged>(
    { store, signUserToken, clock, random, settings, write }: Dependencies<E>,
    { user, application, label, remember, methods, used, context: { browser } }: Opening,
  ): TE.TaskEither<E | KeyUnusable | StoreUnavailable, SignedIn> =>
  async () => {
    const lifetimes = lifetimesOf(application, settings, remember)
    const nowSeconds = clock() / 1000
    const issuedAtSeconds = Math.floor(nowSeconds)
    const sessionId = random.uuid()
    const authentication = { methods, authenticatedAtSeconds: issuedAtSeconds }
    const token = await signUserToken({
      user,
      sessionId,
      applicationId: application.id,
      assurance: assuranceClaims(authentication),
      issuedAtSeconds,
      lifetimeSeconds: lifetimes.userTokenTtlSeconds,
    })()
    if (isLeft(token)) return token
    const session = {
      id: sessionId,
      userId: user.id,
      passwordVersion: user.passwordVersion,
      sessionsVersion: user.sessionsVersion,
      expiresAtSeconds: issuedAtSeconds + lifetimes.idleTtlSeconds,
      endsAtSeconds: issuedAtSeconds + lifetimes.sessionTtlSeconds,
      remembered: lifetimes.remembered,
      cookie: pipe(
        fromNullable(browser),
        map(({ cookie }) => cookie),
      ),
      browserId: none,
      signedOut: false,
      label,
      ...authentication,
    }
    const newDeviceOf = browser !== undefined && browser.knownUserId !== user.id ? user : undefined
    const signedIn: Fact = { _tag: 'UserSignedIn', session, token: used?.token, newDeviceOf }
    const facts: NonEmptyArray<Fact> =
      used === undefined ? [signedIn] : [{ _tag: 'FactorUsed', user, ...used }, signedIn]
    const beyond = await sessionsBeyondBound(store, user, issuedAtSeconds)()
    if (isLeft(beyond)) return beyond
    const displace = (sessions: ReadonlyArray<Session>) =>
      sessions.map((ended): Fact => ({ _tag: 'UserSignedOut', session: ended, displacedBy: sessionId }))
    let displaced = beyond.right
    for (let attemptsLeft = MORE_ATTEMPTS; ; attemptsLeft -= 1) {
      const former = await formerSession(store, browser, nowSeconds)()
      if (isLeft(former)) return former
      const others = displaced.filter(({ id }) => !former.right.some((session) => session.id === id))
      const ended = attemptsLeft === 0 ? [] : displace([...others, ...former.right])
      const written = await write(concat(ended)(facts))()
      if (isRight(written)) break
      if (written.left._tag !== 'Conflict' || ended.length === 0) return written
      displaced = []
    }
    return right({
      sessionId,
      token: token.right.token,
      expiresInSeconds: token.right.expiresAtSeconds - issuedAtSeconds,
      sessionExpiresInSeconds: lifetimes.idleTtlSeconds,
      userId: user.id,
      emailVerified: user.emailVerified,
      roles: user.roles,
      ...sessionAssurance(session),
    })
  }

/** The former session of a browser may be renewed at the same time, and is then read again. The last attempt ends none. */
const MORE_ATTEMPTS = 3

/** The session that a browser has: none if it has ended. */
const formerSession = (
  store: Pick<Store, 'findSession'>,
  browser: Browser | undefined,
  nowSeconds: number,
): TE.TaskEither<StoreUnavailable, ReadonlyArray<Session>> =>
  browser === undefined || isNone(browser.formerSessionId)
    ? TE.right([])
    : pipe(
        store.findSession(browser.formerSessionId.value),
        TE.map((found) => (isSome(found) && isAlive(found.value, nowSeconds) ? [found.value.session] : [])),
      )
