import { isLeft, right } from 'fp-ts/lib/Either.js'
import { concat, type NonEmptyArray } from 'fp-ts/lib/NonEmptyArray.js'
import type { Option } from 'fp-ts/lib/Option.js'
import type { TaskEither } from 'fp-ts/lib/TaskEither.js'
import type { Application } from '../../domain/application.ts'
import { type Assurance, assuranceClaims, type Methods, sessionAssurance } from '../../domain/assurance.ts'
import type { FactorUse } from '../../domain/factor.ts'
import { type LifetimeSettings, lifetimesOf } from '../../domain/lifetimes.ts'
import type { OneTimeToken } from '../../domain/one-time-token.ts'
import type { Roles } from '../../domain/roles.ts'
import type { User } from '../../domain/user.ts'
import type { SignUserToken } from '../keys/sign-user-token.ts'
import type { Clock, Random } from '../ports/environment.ts'
import type { Store, StoreUnavailable } from '../ports/store.ts'
import type { KeyUnusable } from '../ports/token-format.ts'
import type { Fact } from '../recording/facts.ts'
import type { Tagged } from '../recording/retry-on-conflict.ts'
import { type Throttle, type Throttled, withThrottle } from '../throttling/throttle.ts'
import { signInKeys, type ThrottleKey } from '../throttling/throttle-key.ts'
import { sessionsBeyondBound } from './list-sessions.ts'

/** `expiresInSeconds` is the lifetime of the token, `sessionExpiresInSeconds` that of the session without a renewal. */
export type SignedIn = Readonly<{
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
  network: ReadonlyArray<ThrottleKey>
  /** The factor after its use, and the token of the first step if there was one. Absent if the password alone was enough. */
  used?: FactorUse & Readonly<{ token?: OneTimeToken }>
}>

type Dependencies<E> = Readonly<{
  store: Pick<Store, 'listSessions'>
  signUserToken: SignUserToken
  clock: Clock
  random: Random
  settings: LifetimeSettings
  throttle: Throttle
  /** Records the sign-in, and the use of its factor in the same change. */
  write: (facts: NonEmptyArray<Fact>) => TaskEither<E, void>
}>

/**
 * Opens a session, within the limit of sign-ins of its user. Only sessions that are opened count, so strangers cannot use up the limit.
 */
export const openSession = <E extends Tagged>(
  dependencies: Dependencies<E>,
  opening: Opening,
): TaskEither<E | Throttled | KeyUnusable | StoreUnavailable, SignedIn> =>
  withThrottle(dependencies.throttle, signInKeys(opening.user.id, opening.network), {
    check: open(dependencies, opening),
    isSuccess: () => false,
  })

/**
 * It signs the token first, so that no session is recorded if signing fails.
 *
 * The same change ends the sessions of the user beyond the bound. Concurrent sign-ins choose the same ones, and only one of them can end
 * them: the others are written without, so that no sign-in has to wait for another.
 */
const open =
  <E extends Tagged>(
    { store, signUserToken, clock, random, settings, write }: Dependencies<E>,
    { user, application, label, remember, methods, used }: Opening,
  ): TaskEither<E | KeyUnusable | StoreUnavailable, SignedIn> =>
  async () => {
    const lifetimes = lifetimesOf(application, settings, remember)
    const issuedAtSeconds = Math.floor(clock() / 1000)
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
      signedOut: false,
      label,
      ...authentication,
    }
    const signedIn: Fact = { _tag: 'UserSignedIn', session, token: used?.token }
    const facts: NonEmptyArray<Fact> =
      used === undefined ? [signedIn] : [{ _tag: 'FactorUsed', user, ...used }, signedIn]
    const beyond = await sessionsBeyondBound(store, user, issuedAtSeconds)()
    if (isLeft(beyond)) return beyond
    const displaced = beyond.right.map(
      (ended): Fact => ({ _tag: 'UserSignedOut', session: ended, displacedBy: sessionId }),
    )
    let written = await write(concat(displaced)(facts))()
    if (isLeft(written) && written.left._tag === 'Conflict' && displaced.length > 0)
      written = await write(facts)()
    if (isLeft(written)) return written
    return right({
      token: token.right.token,
      expiresInSeconds: token.right.expiresAtSeconds - issuedAtSeconds,
      sessionExpiresInSeconds: lifetimes.idleTtlSeconds,
      userId: user.id,
      emailVerified: user.emailVerified,
      roles: user.roles,
      ...sessionAssurance(session),
    })
  }
