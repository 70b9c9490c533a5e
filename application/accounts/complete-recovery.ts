import { isLeft, left, right } from 'fp-ts/lib/Either.js'
import { pipe } from 'fp-ts/lib/function.js'
import { filter, isNone, isSome, none, type Option, toUndefined } from 'fp-ts/lib/Option.js'
import * as TE from 'fp-ts/lib/TaskEither.js'
import type { Application } from '../../domain/application.ts'
import { type Invalid, invalid } from '../../domain/field.ts'
import { isUsable, type OneTimeTokenFacts } from '../../domain/one-time-token.ts'
import {
  type RecoveryProblem,
  type RecoveryRequest,
  recoveryCode,
  validateRecovery,
} from '../../domain/recovery.ts'
import type { FindWeakness } from '../passwords/find-weakness.ts'
import { findCountedWeakness } from '../passwords/find-weakness.ts'
import { shareOfApplication } from '../passwords/hashing-shares.ts'
import type { Clock, Digests } from '../ports/environment.ts'
import type { PasswordCheckUnavailable } from '../ports/failures.ts'
import type { HashingRefused, PasswordHasher } from '../ports/password-hasher.ts'
import type { Conflict, Store, StoreUnavailable } from '../ports/store.ts'
import type { Refusals } from '../recording/note-refusals.ts'
import { findPresented } from '../recording/one-time-tokens.ts'
import { neverFailsWith, type Recorder, type RequestContext } from '../recording/recorder.ts'
import { retryOnConflict } from '../recording/retry-on-conflict.ts'
import { forgetAll, type Throttle, type Throttled } from '../throttling/throttle.ts'
import { accountKeys, endUserKeys, signInKeys } from '../throttling/throttle-key.ts'

/**
 * Sets a new password with a recovery token (docs/account-life.md §2.2). Every session of the user ends. It signs no user in.
 *
 * Of several concurrent uses of a token one succeeds. The others find it used. Returns the application that requested the token.
 */
export type CompleteRecovery = (
  context: RequestContext,
  request: RecoveryRequest,
) => TE.TaskEither<Failure, Application>

type Failure =
  | Invalid<RecoveryProblem>
  | Throttled
  | HashingRefused
  | PasswordCheckUnavailable
  | StoreUnavailable

type Dependencies = Readonly<{
  store: Pick<Store, 'findOneTimeToken'>
  hasher: PasswordHasher
  clock: Clock
  digests: Digests
  record: Recorder
  refusals: Refusals
  throttle: Throttle
  findWeakness: FindWeakness
}>

export const completeRecovery =
  (dependencies: Dependencies): CompleteRecovery =>
  (context, request) => {
    const read = findPresented(dependencies, 'recovery', request.token)
    const hash = hashingOnce(dependencies.hasher)
    const complete = (presented: Presented) =>
      completeOnce(dependencies, { context, request, presented, hash })
    return pipe(
      read,
      TE.chainW((presented) =>
        pipe(
          presented,
          retryOnConflict(() => read, complete),
          TE.mapLeft((failure) => {
            noteRefusal(dependencies.refusals, failure, { context, presented })
            return failure
          }),
        ),
      ),
    )
  }

/** The token as last read, if the request has a known one. */
type Presented = Option<OneTimeTokenFacts>
type Attempt = Readonly<{
  context: RequestContext
  request: RecoveryRequest
  presented: Presented
  hash: PasswordHasher['hash']
}>

/** A conflict costs no second hash: each further attempt of a request gets the result of the first one. */
const hashingOnce = (hasher: PasswordHasher): PasswordHasher['hash'] => {
  let result: ReturnType<ReturnType<PasswordHasher['hash']>> | undefined
  return (password, hashing) => () => {
    result ??= hasher.hash(password, hashing)()
    return result
  }
}

const completeOnce =
  (dependencies: Dependencies, attempt: Attempt): TE.TaskEither<Failure | Conflict, Application> =>
  async () => {
    const { clock, record, throttle } = dependencies
    const { context, request, presented, hash } = attempt
    const nowSeconds = clock() / 1000
    const usable = filter((facts: OneTimeTokenFacts) => isUsable(facts, 'recovery', nowSeconds))(presented)
    const weakness = await weaknessOf(dependencies, attempt, usable)()
    if (isLeft(weakness)) return weakness
    const valid = validateRecovery(request, isSome(usable), weakness.right)
    if (isLeft(valid)) return left(invalid(valid.left))
    if (isNone(usable)) return left(invalid<RecoveryProblem>(['TokenInvalid'])) // the compiler cannot see that it is valid
    const { application, user } = usable.value
    const hashing = { signal: context.signal?.(), share: shareOfApplication(application.id) }
    const password = await hash(valid.right.newPassword, hashing)()
    if (isLeft(password)) return password
    const recorded = await pipe(
      record(
        [{ _tag: 'PasswordRecovered', ...usable.value, password: password.right }],
        { kind: 'user', id: user.id },
        context,
      ),
      neverFailsWith('EmailTaken'),
    )()
    if (isLeft(recorded)) return recorded
    // Failures with the old password must not delay a sign-in with the new one, nor its second step. Wrong codes stay counted, because a
    // thief of the mailbox can recover often.
    const networks = [[], endUserKeys(context, application.id)]
    await forgetAll(
      throttle,
      networks.flatMap((network) => [...accountKeys(user.email, network), ...signInKeys(user.id, network)]),
    )()
    await throttle.forget({ kind: 'factor_changes', userId: user.id })() // the owner removes what a thief enrolled
    await throttle.endPause({ kind: 'second_factor', userId: user.id })()
    return right(application)
  }

/** Looked up for a usable token only. Weak passwords count on the token. */
const weaknessOf = (
  dependencies: Dependencies,
  { request: { newPassword } }: Attempt,
  usable: Presented,
): ReturnType<typeof findCountedWeakness> =>
  isNone(usable)
    ? TE.right(none)
    : findCountedWeakness(dependencies, newPassword, {
        email: usable.value.user.email,
        countedOn: { kind: 'one_time_token', id: usable.value.token.id },
      })

/** The caller proves no identity, so the event names no actor, even for a known token. */
const noteRefusal = (
  refusals: Refusals,
  failure: Failure,
  { context, presented }: Readonly<{ context: RequestContext; presented: Presented }>,
): void => {
  if (failure._tag !== 'Invalid' && failure._tag !== 'Throttled') return
  const problems = failure._tag === 'Invalid' ? failure.problems : [] // a throttled request is not validated
  const codes = problems.map(recoveryCode).sort((a, b) => a - b)
  const userId = toUndefined(presented)?.user.id
  refusals.note({ _tag: 'RecoveryRefused', userId, codes }, { kind: 'nobody' }, context)
}
