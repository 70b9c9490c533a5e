import { type Either, isLeft, left, right } from 'fp-ts/lib/Either.js'
import { pipe } from 'fp-ts/lib/function.js'
import { isSome, some } from 'fp-ts/lib/Option.js'
import * as TE from 'fp-ts/lib/TaskEither.js'
import { type InsufficientAuthentication, requireProvedFresh, type UserCaller } from '../../domain/access.ts'
import { changesEmail, changesMailbox } from '../../domain/email-confirmation.ts'
import { isDue } from '../../domain/factor.ts'
import { type Invalid, invalid, isPresent } from '../../domain/field.ts'
import { askedBy, type Mail, newMail } from '../../domain/mail.ts'
import {
  emailToConfirm,
  needsPassword,
  type OwnEmail,
  type OwnEmailProblem,
  type OwnEmailRequest,
  validateOwnEmail,
} from '../../domain/own-email.ts'
import { hasPassword } from '../../domain/user.ts'
import { putMails, type RequestMails, requestMailKeys } from '../mail/request-mails.ts'
import { noteOwnPasswordRefusal, verifyOwnPassword } from '../passwords/own-password.ts'
import type { Clock, Random } from '../ports/environment.ts'
import type { Overloaded } from '../ports/failures.ts'
import type { HashingRefused, PasswordHasher } from '../ports/password-hasher.ts'
import type { Store, StoreUnavailable } from '../ports/store.ts'
import type { Refusals } from '../recording/note-refusals.ts'
import type { RequestContext } from '../recording/recorder.ts'
import { type Throttle, type Throttled, withThrottle } from '../throttling/throttle.ts'
import { isTakenByAnother, noteConfirmationRefused } from './new-email.ts'

/**
 * Mails a signed-in user a link that confirms an e-mail (docs/account-life.md §3.4): that on record, or another one. Another one needs the
 * password. While a second factor is due, or without a password, it needs a fresh session. The e-mail on record is then told too.
 */
export type MailEmail = (
  context: RequestContext,
  caller: UserCaller,
  request: OwnEmailRequest,
) => TE.TaskEither<Failure, void>

type Failure =
  | Invalid<OwnEmailProblem>
  | InsufficientAuthentication
  | Throttled
  | HashingRefused
  | Overloaded
  | StoreUnavailable

type Dependencies = Readonly<{
  store: Pick<Store, 'findUserByEmail' | 'listFactors'>
  mails: RequestMails
  hasher: PasswordHasher
  clock: Clock
  random: Random
  refusals: Refusals
  throttle: Throttle
}>

export const mailEmail =
  (dependencies: Dependencies): MailEmail =>
  (context, caller, request) =>
  async () => {
    const attempt = { context, caller, request }
    const valid = await validate(dependencies, attempt)()
    if (isLeft(valid)) return valid
    return pipe(
      putWithinLimits(dependencies, attempt, valid.right),
      TE.mapLeft((failure) => {
        if (failure._tag === 'Throttled') noteRefusal(dependencies.refusals, attempt, [])
        if (failure._tag === 'Invalid') noteRefusal(dependencies.refusals, attempt, failure.problems)
        return failure
      }),
    )()
  }

type Attempt = Readonly<{ context: RequestContext; caller: UserCaller; request: OwnEmailRequest }>

/** Nothing is looked up about the e-mail before the proofs: a thief of the token learns nothing about other users. */
const validate =
  (dependencies: Dependencies, attempt: Attempt): TE.TaskEither<Failure, OwnEmail> =>
  async () => {
    const { refusals } = dependencies
    const { context, caller, request } = attempt
    const fresh = await requireFresh(dependencies, attempt)()
    if (isLeft(fresh)) return fresh
    const matches = await verifyPassword(dependencies, attempt)()
    if (isLeft(matches)) {
      noteOwnPasswordRefusal(refusals, matches.left, { context, caller })
      return matches
    }
    const valid = validateOwnEmail(request, {
      user: caller.user,
      returnUrls: isSome(caller.application) ? caller.application.value.returnUrls : [],
      passwordMatches: matches.right,
    })
    if (isLeft(valid)) {
      const failure = invalid(valid.left)
      noteOwnPasswordRefusal(refusals, failure, { context, caller })
      noteRefusal(refusals, attempt, valid.left)
      return left(failure)
    }
    return valid
  }

/** Whether the user must prove again who that is, before the service takes another e-mail. */
export type NeedsProofForEmail = (caller: UserCaller) => TE.TaskEither<StoreUnavailable, boolean>

export const needsProofForEmail =
  (dependencies: Pick<Dependencies, 'store' | 'clock'>): NeedsProofForEmail =>
  (caller) =>
    pipe(
      requireFreshForAnother(dependencies, caller),
      TE.map(() => false),
      TE.orElse((failure) => (failure._tag === 'StoreUnavailable' ? TE.left(failure) : TE.right(true))),
    )

/** As for the `user_token` of `startEmailConfirmation`. */
const requireFresh = (
  dependencies: Dependencies,
  { caller, request }: Attempt,
): TE.TaskEither<InsufficientAuthentication | StoreUnavailable, void> =>
  changesEmail(caller.user, emailToConfirm(request, caller.user))
    ? requireFreshForAnother(dependencies, caller)
    : TE.right(undefined)

const requireFreshForAnother =
  (
    { store, clock }: Pick<Dependencies, 'store' | 'clock'>,
    caller: UserCaller,
  ): TE.TaskEither<InsufficientAuthentication | StoreUnavailable, void> =>
  async () => {
    const { user } = caller
    if (hasPassword(user)) {
      const factors = await store.listFactors(user.id)()
      if (isLeft(factors)) return factors
      if (!isDue(factors.right)) return right(undefined)
    }
    const fresh: Either<InsufficientAuthentication, unknown> = requireProvedFresh(caller, clock() / 1000)
    return isLeft(fresh) ? fresh : right(undefined)
  }

const verifyPassword = (
  dependencies: Dependencies,
  { context, caller, request }: Attempt,
): TE.TaskEither<Throttled | HashingRefused | StoreUnavailable, boolean> =>
  needsPassword(request, caller.user) && isPresent(request.password)
    ? verifyOwnPassword(dependencies, { password: request.password, context, facts: caller })
    : TE.right(false)

/**
 * The user has a count of its own, on which a taken e-mail counts too. Without it, one user could find out who has an account, or use up the
 * mails of the service for strangers. A request counts also if an inner limit refuses its mail: the taken e-mails would count alone, and
 * further answers would show which ones they are.
 */
const putWithinLimits = (
  { store, mails, clock, random, throttle }: Dependencies,
  { context, caller }: Attempt,
  { email, language, returnTo }: OwnEmail,
): TE.TaskEither<Invalid<OwnEmailProblem> | Throttled | Overloaded | StoreUnavailable, void> => {
  const { user, session } = caller
  const mailOf = (mail: Pick<Mail, 'kind' | 'address'> & Partial<Mail>): Mail =>
    newMail({ ...mail, id: random.uuid(), userId: some(user.id), language }, Math.floor(clock() / 1000))
  // The notice is first, also by its id. After a crash between the two, the owner was warned of a link that is never sent.
  const warnings = changesMailbox(user, email) ? [mailOf({ kind: 'email_entered', address: user.email })] : []
  const confirmation = mailOf({
    kind: 'email_confirmation',
    address: email,
    applicationId: some(session.applicationId),
    returnTo,
    facts: { asked: askedBy(user) },
  })
  const put = putMails(mails, context, [...warnings, confirmation])
  const limited = withThrottle(throttle, requestMailKeys(mails, email), {
    check: put,
    isSuccess: () => false,
  })
  const check: TE.TaskEither<StoreUnavailable, Counted> = pipe(
    isTakenByAnother(store, { userId: user.id, email }),
    TE.chain((isTaken) => (isTaken ? TE.right(left(invalid(['EmailTaken']))) : asCounted(limited))),
  )
  return pipe(
    withThrottle(throttle, { kind: 'mails_of_user', userId: user.id }, { check, isSuccess: () => false }),
    TE.chainW((counted) => TE.fromEither(counted)),
  )
}

/** An answer that counts on the user. */
type Counted = Either<Invalid<OwnEmailProblem> | Throttled | Overloaded, void>

/** All failures count, except those of the store: they say nothing about the e-mail. */
const asCounted = (
  limited: TE.TaskEither<Throttled | Overloaded | StoreUnavailable, void>,
): TE.TaskEither<StoreUnavailable, Counted> =>
  pipe(
    limited,
    TE.map((): Counted => right(undefined)),
    TE.orElse(
      (failure): TE.TaskEither<StoreUnavailable, Counted> =>
        failure._tag === 'StoreUnavailable' ? TE.left(failure) : TE.right(left(failure)),
    ),
  )

const noteRefusal = (
  refusals: Refusals,
  { context, caller: { user } }: Attempt,
  problems: ReadonlyArray<OwnEmailProblem>,
): void =>
  noteConfirmationRefused(
    refusals,
    { context, actor: { kind: 'user', id: user.id } },
    { userId: user.id, problems },
  )
