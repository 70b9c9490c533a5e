import { type Either, isLeft, left, right } from 'fp-ts/lib/Either.js'
import { pipe } from 'fp-ts/lib/function.js'
import { isNone, isSome, none, type Option, some } from 'fp-ts/lib/Option.js'
import * as TE from 'fp-ts/lib/TaskEither.js'
import { isDue } from '../../domain/factor.ts'
import { type Invalid, invalid } from '../../domain/field.ts'
import {
  type PasswordChangeByEmailProblem,
  type PasswordChangeByEmailRequest,
  passwordChangeByEmailCode,
  validatePasswordChangeByEmail,
} from '../../domain/password-change-by-email.ts'
import type { User } from '../../domain/user.ts'
import { sealPasswordChange } from '../factors/page-proofs.ts'
import { noteMissingProof } from '../factors/prove-on-page.ts'
import { checkCredentials } from '../passwords/check-credentials.ts'
import type { EvenTiming } from '../passwords/even-timing.ts'
import type { FindWeakness } from '../passwords/find-weakness.ts'
import { findCountedWeakness, weakPasswordsOf } from '../passwords/find-weakness.ts'
import { shareOfPages } from '../passwords/hashing-shares.ts'
import type { Clock, Random } from '../ports/environment.ts'
import type { PasswordCheckUnavailable } from '../ports/failures.ts'
import type { HashingRefused, PasswordHasher } from '../ports/password-hasher.ts'
import type { Sealing } from '../ports/sealing.ts'
import type { Conflict, Store, StoreUnavailable } from '../ports/store.ts'
import type { Refusals } from '../recording/note-refusals.ts'
import { neverFailsWith, type Recorder, type RequestContext } from '../recording/recorder.ts'
import { retryOnConflict } from '../recording/retry-on-conflict.ts'
import { type Throttle, type Throttled, withThrottle } from '../throttling/throttle.ts'
import { pageKeys, passwordChangeKeys } from '../throttling/throttle-key.ts'

/**
 * Changes the password of a user who has no session, but knows the e-mail and the password (docs/account-pages.md). Every session of
 * the user ends. The old password is checked, counted and refused like the password of a sign-in. While a second
 * factor is due, it is not enough: the new password is only hashed, and the proof leads to the second step.
 *
 * Of several concurrent changes with the same old password one succeeds. The others then find the old password wrong.
 *
 * A change that is made counts on the limit of `ChangePassword`. While a second factor is due, the second step counts it.
 */
export type ChangePasswordByEmail = (
  context: RequestContext,
  request: PasswordChangeByEmailRequest,
) => TE.TaskEither<Failure, Changed>

/** The password was changed, or the second step is to follow with this sealed proof. */
export type Changed = Option<string>

type Failure =
  | Invalid<PasswordChangeByEmailProblem>
  | Throttled
  | HashingRefused
  | PasswordCheckUnavailable
  | StoreUnavailable

type Dependencies = Readonly<{
  store: Pick<Store, 'findUserByEmail' | 'listFactors'>
  hasher: PasswordHasher
  record: Recorder
  refusals: Refusals
  throttle: Throttle
  findWeakness: FindWeakness
  evenTiming: EvenTiming
  clock: Clock
  random: Random
  /** Undefined without `KEY_ENCRYPTION_KEY`: then there is no second step. */
  sealing: Sealing | undefined
  mailsNotices: boolean
}>

export const changePasswordByEmail =
  (dependencies: Dependencies): ChangePasswordByEmail =>
  (context, request) => {
    const attemptOnce = () => changeOnce(dependencies, { context, request }) // reads the user itself
    return retryOnConflict(() => TE.right(undefined), attemptOnce)(undefined)
  }

type Attempt = Readonly<{ context: RequestContext; request: PasswordChangeByEmailRequest }>

const changeOnce =
  (dependencies: Dependencies, attempt: Attempt): TE.TaskEither<Failure | Conflict, Changed> =>
  async () => {
    const { context, request } = attempt
    const account = await checkCredentials(dependencies, {
      context,
      credentials: { email: request.email, password: request.oldPassword },
      actor: { kind: 'nobody' },
      share: shareOfPages(context),
      network: pageKeys(context),
    })()
    if (isLeft(account)) return account
    const due = await isSecondFactorDue(dependencies, account.right)()
    if (isLeft(due)) return due
    if (due.right && dependencies.sealing === undefined) {
      noteRefusal(dependencies.refusals, attempt, { account: account.right, problems: ['SecondFactorDue'] })
      return left(invalid<PasswordChangeByEmailProblem>(['SecondFactorDue']))
    }
    if (due.right && isSome(account.right))
      noteMissingProof(dependencies.refusals, account.right.value.id, context)
    const weakness = await weaknessOf(dependencies, request, account.right)()
    if (isLeft(weakness)) {
      if (weakness.left._tag === 'Throttled')
        noteRefusal(dependencies.refusals, attempt, { account: account.right, problems: [] })
      return weakness
    }
    const valid = validatePasswordChangeByEmail(request, account.right, weakness.right)
    if (isLeft(valid)) {
      noteRefusal(dependencies.refusals, attempt, { account: account.right, problems: valid.left })
      return left(invalid(valid.left))
    }
    const changed = await changeWithinLimit(dependencies, context, {
      ...valid.right,
      isFactorDue: due.right,
    })()
    if (isLeft(changed) && changed.left._tag === 'Throttled')
      noteRefusal(dependencies.refusals, attempt, { account: account.right, problems: [] })
    return changed
  }

/** Looked up after the right password, like the factors of a sign-in. */
const isSecondFactorDue = (
  { store }: Dependencies,
  account: Option<User>,
): TE.TaskEither<StoreUnavailable, boolean> =>
  isNone(account) ? TE.right(false) : pipe(store.listFactors(account.value.id), TE.map(isDue))

/** Looked up for an account only: strangers cannot use the service to examine passwords. */
const weaknessOf = (
  dependencies: Dependencies,
  { newPassword }: PasswordChangeByEmailRequest,
  account: Option<User>,
): ReturnType<typeof findCountedWeakness> =>
  isNone(account)
    ? TE.right(none)
    : findCountedWeakness(dependencies, newPassword, {
        email: account.value.email,
        countedOn: weakPasswordsOf(account.value),
      })

type NewPassword = Readonly<{ account: User; newPassword: string; isFactorDue: boolean }>

const changeWithinLimit = (
  dependencies: Dependencies,
  context: RequestContext,
  change: NewPassword,
): TE.TaskEither<Throttled | HashingRefused | Conflict | StoreUnavailable, Changed> =>
  withThrottle(dependencies.throttle, passwordChangeKeys({ ...dependencies, userId: change.account.id }), {
    check: () => setNewPassword(dependencies, context, change),
    isSuccess: isSome, // the second step is still to come, and counts
  })

const setNewPassword = async (
  dependencies: Dependencies,
  context: RequestContext,
  { account: user, newPassword, isFactorDue }: NewPassword,
): Promise<Either<HashingRefused | Conflict | StoreUnavailable, Changed>> => {
  const { hasher, record, sealing, clock } = dependencies
  const hashing = { signal: context.signal?.(), share: shareOfPages(context) }
  const password = await hasher.hash(newPassword, hashing)()
  if (isLeft(password)) return password
  if (isFactorDue && sealing !== undefined) {
    const visitor = { kind: 'visitor', user, methods: 'password', provedAtMs: clock() } as const
    return right(some(sealPasswordChange({ ...dependencies, sealing }, visitor, password.right)))
  }
  return pipe(
    record([{ _tag: 'PasswordSet', user, password: password.right }], { kind: 'user', id: user.id }, context),
    neverFailsWith('EmailTaken'),
    TE.map(() => none),
  )()
}

/** A refusal of the new password. A refusal of the old one is noted as a refused sign-in. */
const noteRefusal = (
  refusals: Refusals,
  { context }: Attempt,
  {
    account,
    problems,
  }: Readonly<{ account: Option<User>; problems: ReadonlyArray<PasswordChangeByEmailProblem> }>,
): void => {
  if (isNone(account)) return
  const { id } = account.value
  const codes = problems.map(passwordChangeByEmailCode).sort((a, b) => a - b)
  refusals.note({ _tag: 'PasswordChangeRefused', userId: id, codes }, { kind: 'user', id }, context)
}
