import { type Either, isLeft, left, right } from 'fp-ts/lib/Either.js'
import { pipe } from 'fp-ts/lib/function.js'
import * as O from 'fp-ts/lib/Option.js'
import * as TE from 'fp-ts/lib/TaskEither.js'
import type { ApplicationCaller } from '../domain/access.ts'
import type { SignInRefusal } from '../domain/event.ts'
import { isPresent } from '../domain/field.ts'
import { isComplete, type SignInProblem, type SignInRequest, validateSignIn } from '../domain/sign-in.ts'
import { isEmail, type User } from '../domain/user.ts'
import { type Invalid, invalid } from './invalid.ts'
import type { CurrentKeyring } from './keys/keyring.ts'
import type { Clock, Random } from './ports/environment.ts'
import type { HashingRefused, PasswordHasher } from './ports/password-hasher.ts'
import type { Refusals } from './ports/refusals.ts'
import type { Store, StoreUnavailable } from './ports/store.ts'
import type { KeyUnusable, UserTokens } from './ports/token-format.ts'
import { neverFailsWith, type Recorder, type RequestContext } from './recording/recorder.ts'
import { findAccount } from './recording/user-by-email.ts'
import type { Rehash } from './rehash.ts'
import type { EvenTiming } from './throttling/even-timing.ts'
import { shareOfEndUser } from './throttling/hashing-shares.ts'
import {
  endUserKeys,
  type Throttle,
  type Throttled,
  type ThrottleKey,
  withThrottle,
} from './throttling/throttle.ts'

/** Signs a user in for an application (docs/contract.md §5.1). */
export type SignIn = (
  context: RequestContext,
  caller: ApplicationCaller,
  request: SignInRequest,
) => TE.TaskEither<
  Invalid<SignInProblem> | Throttled | HashingRefused | KeyUnusable | StoreUnavailable,
  SignedIn
>

/** `expiresInSeconds` is the lifetime of the token. */
type SignedIn = Readonly<{ token: string; expiresInSeconds: number; userId: string; emailVerified: boolean }>

type Dependencies = Readonly<{
  store: Pick<Store, 'findUserByEmail'>
  hasher: PasswordHasher
  tokens: UserTokens
  keyring: CurrentKeyring
  clock: Clock
  random: Random
  record: Recorder
  refusals: Refusals
  throttle: Throttle
  rehash: Rehash
  evenTiming: EvenTiming
  settings: Readonly<{ issuer: string; userTokenTtlSeconds: number }>
}>

export const signIn =
  (dependencies: Dependencies): SignIn =>
  (context, caller, request) =>
  async () => {
    const attempt = { context, caller, request }
    const account = await authenticateUser(dependencies, attempt)()
    if (isLeft(account)) return account
    const valid = validateSignIn(request, account.right)
    if (isLeft(valid)) return left(invalid(valid.left))
    const user = valid.right
    const signedIn = await openSession(dependencies, attempt, user)
    if (isLeft(signedIn)) return signedIn
    if (isPresent(request.password)) {
      const share = shareOfEndUser(caller.application.id, context)
      dependencies.rehash({ user, password: request.password, share }, context)
    }
    return signedIn
  }

type Attempt = Readonly<{ context: RequestContext; caller: ApplicationCaller; request: SignInRequest }>

/** Returns the account if the password is correct and the user enabled. It notes every refusal. */
const authenticateUser = (
  dependencies: Dependencies,
  attempt: Attempt,
): TE.TaskEither<Throttled | HashingRefused | StoreUnavailable, O.Option<User>> => {
  const { throttle, refusals } = dependencies
  const { request } = attempt
  if (!isComplete(request)) return TE.fromIO(() => refuse(refusals, attempt, { reason: 'missing_field' }))
  const check = checkPassword(dependencies, attempt, request)
  return pipe(
    withThrottle(throttle, throttleKeys(attempt, request.email), { check, isSuccess: O.isSome }),
    TE.mapLeft((failure) => {
      if (failure._tag === 'Throttled') refuse(refusals, attempt, { reason: 'too_many_failures' })
      return failure
    }),
  )
}

/**
 * The network comes first, so that attempts from a refused one do not touch the account. A malformed e-mail belongs to no account,
 * so there is nothing to guess there.
 */
const throttleKeys = ({ context, caller }: Attempt, email: string): ReadonlyArray<ThrottleKey> => [
  ...endUserKeys(context, caller.application.id),
  ...(isEmail(email) ? [{ kind: 'account', email } as const] : []),
]

/** Looks the account up and verifies the password. An unknown e-mail costs the same hash. */
const checkPassword = (
  { store, hasher, refusals, evenTiming }: Dependencies,
  attempt: Attempt,
  { email, password }: Readonly<{ email: string; password: string }>,
): TE.TaskEither<HashingRefused | StoreUnavailable, O.Option<User>> => {
  const { context, caller } = attempt
  const share = shareOfEndUser(caller.application.id, context)
  const verify = (user: O.Option<User>) => (onStart: () => void) => {
    const record = pipe(
      user,
      O.map(({ passwordRecord }) => passwordRecord),
    )
    return pipe(
      hasher.verify(password, record, { signal: context.signal, onStart, share }),
      TE.map((matches) => {
        if (O.isNone(user)) return refuse(refusals, attempt, { reason: 'unknown_email' })
        const { id, status } = user.value
        if (!matches) return refuse(refusals, attempt, { reason: 'wrong_password', userId: id })
        return status === 'enabled'
          ? user
          : refuse(refusals, attempt, { reason: 'user_disabled', userId: id })
      }),
    )
  }
  return pipe(
    findAccount(store, email),
    TE.chainW((user) => evenTiming({ check: verify(user), hasFailed: O.isNone })),
  )
}

const refuse = (
  refusals: Refusals,
  { context, caller }: Attempt,
  { reason, userId }: Readonly<{ reason: SignInRefusal; userId?: string }>,
): O.Option<User> => {
  const actor = { kind: 'application', id: caller.application.id } as const
  refusals.note({ _tag: 'SignInRefused', userId, reason }, actor, context)
  return O.none
}

/** Signs the token first, so that no session is recorded if signing fails. */
const openSession = async (
  { tokens, keyring, clock, random, record, settings }: Dependencies,
  { context, caller }: Attempt,
  user: User,
): Promise<Either<KeyUnusable | StoreUnavailable, SignedIn>> => {
  const iat = Math.floor(clock() / 1000)
  const exp = iat + settings.userTokenTtlSeconds
  const session = {
    id: random.uuid(),
    userId: user.id,
    passwordVersion: user.passwordVersion,
    expiresAtSeconds: exp,
    signedOut: false,
  }
  const claims = { iss: settings.issuer, sub: user.id, sid: session.id, iat, exp, jti: random.uuid() }
  const keys = await keyring()
  if (isLeft(keys)) return keys
  const token = await tokens.sign(claims, keys.right.user.signing)()
  if (isLeft(token)) return token
  const recorded = await pipe(
    record([{ _tag: 'UserSignedIn', session }], { kind: 'application', id: caller.application.id }, context),
    neverFailsWith('Conflict', 'EmailTaken'),
  )()
  if (isLeft(recorded)) return recorded
  return right({
    token: token.right,
    expiresInSeconds: settings.userTokenTtlSeconds,
    userId: user.id,
    emailVerified: user.emailVerified,
  })
}
