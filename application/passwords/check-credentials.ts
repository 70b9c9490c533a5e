import { pipe } from 'fp-ts/lib/function.js'
import * as O from 'fp-ts/lib/Option.js'
import * as TE from 'fp-ts/lib/TaskEither.js'
import type { Actor } from '../../domain/event.ts'
import type { SignInRefusal } from '../../domain/refusal-reasons.ts'
import { isComplete, isPossibleLabel, type SignInRequest } from '../../domain/sign-in.ts'
import { isEmail, passwordRecordOf, type User } from '../../domain/user.ts'
import type { HashingRefused, HashingShare, PasswordHasher } from '../ports/password-hasher.ts'
import type { Store, StoreUnavailable } from '../ports/store.ts'
import { findAccount } from '../recording/change-user.ts'
import type { Refusals } from '../recording/note-refusals.ts'
import type { RequestContext } from '../recording/recorder.ts'
import { type Throttle, type Throttled, withThrottle } from '../throttling/throttle.ts'
import { accountKeys, type ThrottleKey } from '../throttling/throttle-key.ts'
import type { EvenTiming } from './even-timing.ts'

/** An e-mail and a password, and for whom they are checked. */
export type CredentialsAttempt = Readonly<{
  context: RequestContext
  credentials: SignInRequest
  actor: Actor
  share: HashingShare
  /**
   * The network of the user, if it is known. It comes before the account, so that attempts from a refused one do not touch the
   * account.
   */
  network: ReadonlyArray<ThrottleKey>
}>

type Dependencies = Readonly<{
  store: Pick<Store, 'findUserByEmail'>
  hasher: PasswordHasher
  refusals: Refusals
  throttle: Throttle
  evenTiming: EvenTiming
}>

/**
 * Returns the account if the password is correct and the user enabled. It notes every refusal. A wrong password, an unknown e-mail
 * and a disabled user get the same answer after the same work.
 */
export const checkCredentials = (
  dependencies: Dependencies,
  attempt: CredentialsAttempt,
): TE.TaskEither<Throttled | HashingRefused | StoreUnavailable, O.Option<User>> => {
  const { throttle, refusals } = dependencies
  const { credentials, network } = attempt
  const { label } = credentials
  if (!isComplete(credentials)) return TE.fromIO(() => refuse(refusals, attempt, { reason: 'missing_field' }))
  if (!isPossibleLabel(label)) return TE.fromIO(() => refuse(refusals, attempt, { reason: 'invalid_label' }))
  const check = checkPassword(dependencies, attempt, credentials)
  // A malformed e-mail belongs to no account, so there is nothing to guess there.
  const ofAccount = isEmail(credentials.email) ? accountKeys(credentials.email, network) : []
  const keys = [...network, ...ofAccount]
  return pipe(
    withThrottle(throttle, keys, { check, isSuccess: O.isSome }),
    TE.mapLeft((failure) => {
      if (failure._tag === 'Throttled') refuse(refusals, attempt, { reason: 'too_many_failures' })
      return failure
    }),
  )
}

/** Looks the account up and verifies the password. An unknown e-mail, and a user without a password, cost the same hash. */
const checkPassword = (
  { store, hasher, refusals, evenTiming }: Dependencies,
  attempt: CredentialsAttempt,
  { email, password }: Readonly<{ email: string; password: string }>,
): TE.TaskEither<HashingRefused | StoreUnavailable, O.Option<User>> => {
  const { context, share } = attempt
  const verify = (user: O.Option<User>) => (onStart: () => void) => {
    const record = pipe(user, O.chain(passwordRecordOf))
    return pipe(
      hasher.verify(password, record, { signal: context.signal?.(), onStart, share }),
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
  { context, actor }: CredentialsAttempt,
  { reason, userId }: Readonly<{ reason: SignInRefusal; userId?: string }>,
): O.Option<User> => {
  refusals.note({ _tag: 'SignInRefused', userId, reason }, actor, context)
  return O.none
}
