import { isLeft, isRight, right } from 'fp-ts/lib/Either.js'
import { concat, type NonEmptyArray } from 'fp-ts/lib/NonEmptyArray.js'
import { alt, fromNullable, isSome, none, type Option } from 'fp-ts/lib/Option.js'
import type { Task } from 'fp-ts/lib/Task.js'
import type * as TE from 'fp-ts/lib/TaskEither.js'
import type { Application } from '../../domain/application.ts'
import { type Assurance, assuranceClaims, type Methods, sessionAssurance } from '../../domain/assurance.ts'
import type { FactorUse } from '../../domain/factor.ts'
import { type LifetimeSettings, lifetimesOf } from '../../domain/lifetimes.ts'
import type { OneTimeToken } from '../../domain/one-time-token.ts'
import type { Roles } from '../../domain/roles.ts'
import type { SessionFacts } from '../../domain/session.ts'
import type { User } from '../../domain/user.ts'
import type { SignUserToken } from '../keys/sign-user-token.ts'
import type { Clock, Random } from '../ports/environment.ts'
import type { Store, StoreUnavailable } from '../ports/store.ts'
import type { KeyUnusable } from '../ports/token-format.ts'
import type { Fact } from '../recording/facts.ts'
import type { Recorder, RequestContext } from '../recording/recorder.ts'
import type { Tagged } from '../recording/retry-on-conflict.ts'
import { type Throttle, type Throttled, withThrottle } from '../throttling/throttle.ts'
import { endUserKeys, signInKeys } from '../throttling/throttle-key.ts'
import { endOpenedMeanwhile } from './end-browser.ts'
import { sessionsBeyondBound } from './list-sessions.ts'
import { displaced, inBrowserBefore, newSession } from './new-session.ts'

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
  record: Recorder
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
 *
 * The id of the browser stays that of the session before, also if that ends meanwhile. So a sign-out reaches both of two sign-ins at once.
 */
const open =
  <E extends Tagged>(
    dependencies: Dependencies<E>,
    { user, application, label, remember, methods, used, context }: Opening,
  ): TE.TaskEither<E | KeyUnusable | StoreUnavailable, SignedIn> =>
  async () => {
    const { store, signUserToken, clock, random, settings, write } = dependencies
    const { browser } = context
    const lifetimes = lifetimesOf(application, settings, remember)
    const nowSeconds = clock() / 1000
    const issuedAtSeconds = Math.floor(nowSeconds)
    const id = random.uuid()
    const authentication = { methods, authenticatedAtSeconds: issuedAtSeconds }
    const token = await signUserToken({
      user,
      sessionId: id,
      applicationId: application.id,
      assurance: assuranceClaims(authentication),
      issuedAtSeconds,
      lifetimeSeconds: lifetimes.userTokenTtlSeconds,
    })()
    if (isLeft(token)) return token
    let browserId = fromNullable(browser && random.uuid())
    const cookie = fromNullable(browser?.cookie)
    const newDeviceOf = browser !== undefined && browser.knownUserId !== user.id ? user : undefined
    const signIn = (): NonEmptyArray<Fact> => {
      const opened = { user, lifetimes, openedAtSeconds: issuedAtSeconds }
      const session = newSession(opened, { id, label, cookie, browserId, ...authentication })
      const signedIn: Fact = { _tag: 'UserSignedIn', session, token: used?.token, newDeviceOf }
      return used === undefined ? [signedIn] : [{ _tag: 'FactorUsed', user, ...used }, signedIn]
    }
    const beyond = await sessionsBeyondBound(store, user, issuedAtSeconds)()
    if (isLeft(beyond)) return beyond
    let excess = beyond.right
    let ofAnother: Option<SessionFacts> = none
    for (let attemptsLeft = MORE_ATTEMPTS; ; attemptsLeft -= 1) {
      const read = await inBrowserBefore(store, browser, { user, nowSeconds })()
      if (isLeft(read)) return read
      const before = read.right
      browserId = alt(() => browserId)(before.browserId)
      ofAnother = alt(() => ofAnother)(before.ofAnother)
      const others = excess.filter((session) => !before.ended.some((one) => one.id === session.id))
      const ended = attemptsLeft === 0 ? [] : displaced([...others, ...before.ended], id)
      const written = await write(concat(ended)(signIn()))()
      if (isRight(written)) break
      if (written.left._tag !== 'Conflict' || ended.length === 0) return written
      excess = []
    }
    if (isSome(ofAnother)) await endRest(dependencies, { application, context, id }, ofAnother.value)()
    return right({
      sessionId: id,
      token: token.right.token,
      expiresInSeconds: token.right.expiresAtSeconds - issuedAtSeconds,
      sessionExpiresInSeconds: lifetimes.idleTtlSeconds,
      userId: user.id,
      emailVerified: user.emailVerified,
      roles: user.roles,
      ...sessionAssurance(authentication),
    })
  }

/** The former session of a browser may be renewed at the same time, and is then read again. The last attempt ends none. */
const MORE_ATTEMPTS = 3

/** Ends what another user still has in the browser. The sign-in is written by then, so no failure of it keeps a person out. */
const endRest = (
  dependencies: Parameters<typeof endOpenedMeanwhile>[0],
  { application, context, id }: Readonly<{ application: Application; context: RequestContext; id: string }>,
  former: SessionFacts,
): Task<unknown> =>
  endOpenedMeanwhile(dependencies, {
    actor: { kind: 'application', id: application.id },
    context,
    displacedBy: id,
  })(former)
