import { isLeft, left, right } from 'fp-ts/lib/Either.js'
import { pipe } from 'fp-ts/lib/function.js'
import { filter, isNone, isSome, none, type Option, some, toUndefined } from 'fp-ts/lib/Option.js'
import * as TE from 'fp-ts/lib/TaskEither.js'
import { type ApplicationCaller, isProvedFresh } from '../../domain/access.ts'
import {
  changesEmail,
  type EmailConfirmationStartFacts,
  type EmailConfirmationStartProblem,
  type EmailConfirmationStartRequest,
  validateEmailConfirmationStart,
} from '../../domain/email-confirmation.ts'
import { isDue } from '../../domain/factor.ts'
import { type Field, type Invalid, invalid, isPresent } from '../../domain/field.ts'
import type { SignInRefusal } from '../../domain/refusal-reasons.ts'
import { hasPassword, type User } from '../../domain/user.ts'
import { shareOfApplication } from '../passwords/hashing-shares.ts'
import type { Clock, Digests, Random } from '../ports/environment.ts'
import type { HashingRefused, PasswordHasher } from '../ports/password-hasher.ts'
import type { Store, StoreUnavailable } from '../ports/store.ts'
import type { Refusals } from '../recording/note-refusals.ts'
import { newSecret, newTokenRecord } from '../recording/one-time-tokens.ts'
import { neverFailsWith, type Recorder, type RequestContext } from '../recording/recorder.ts'
import type { ValidateToken } from '../sessions/validate-token.ts'
import { type Throttle, type Throttled, withThrottle } from '../throttling/throttle.ts'
import { accountKeys } from '../throttling/throttle-key.ts'
import { isTakenByAnother, noteConfirmationRefused } from './new-email.ts'

/**
 * Starts the confirmation of an e-mail, for an application (docs/account-life.md §3.1). The application mails the token to that
 * e-mail. With the user's password, it can be another one than the e-mail on record. While a second factor is due, that also needs a
 * fresh user token. A user without a password needs only the token.
 */
export type StartEmailConfirmation = (
  context: RequestContext,
  caller: ApplicationCaller,
  request: EmailConfirmationStartRequest,
) => TE.TaskEither<Failure, StartedEmailConfirmation>

type Failure = Invalid<EmailConfirmationStartProblem> | Throttled | HashingRefused | StoreUnavailable

/** `notify` is the e-mail that the confirmed one would replace. */
export type StartedEmailConfirmation = Readonly<{
  token: string
  expiresInSeconds: number
  notify: Option<string>
}>

type Dependencies = Readonly<{
  store: Pick<Store, 'findUser' | 'findUserByEmail' | 'listFactors'>
  validateToken: ValidateToken
  hasher: PasswordHasher
  clock: Clock
  random: Random
  digests: Digests
  record: Recorder
  refusals: Refusals
  throttle: Throttle
  settings: Readonly<{ emailConfirmationTtlSeconds: number }>
}>

export const startEmailConfirmation =
  (dependencies: Dependencies): StartEmailConfirmation =>
  (context, caller, request) =>
  async () => {
    const attempt = { context, caller, request }
    const facts = await factsOf(dependencies, attempt)()
    if (isLeft(facts)) return facts
    const valid = validateEmailConfirmationStart(request, facts.right)
    if (isLeft(valid)) {
      noteRefusal(dependencies.refusals, attempt, { user: facts.right.user, problems: valid.left })
      return left(invalid(valid.left))
    }
    const key = { kind: 'mails_to_email', email: valid.right.email } as const
    const check = grantToken(dependencies, attempt, valid.right)
    // Each granted start counts: the limit protects a mailbox.
    return pipe(
      withThrottle(dependencies.throttle, key, { check, isSuccess: () => false }),
      TE.mapLeft((failure) => {
        if (failure._tag === 'Throttled')
          noteRefusal(dependencies.refusals, attempt, { user: facts.right.user, problems: [] })
        return failure
      }),
    )()
  }

type Attempt = Readonly<{
  context: RequestContext
  caller: ApplicationCaller
  request: EmailConfirmationStartRequest
}>

const noteRefusal = (
  refusals: Refusals,
  { context, caller }: Attempt,
  {
    user,
    problems,
  }: Readonly<{ user: Option<User>; problems: ReadonlyArray<EmailConfirmationStartProblem> }>,
): void =>
  noteConfirmationRefused(
    refusals,
    { context, actor: { kind: 'application', id: caller.application.id } },
    { userId: toUndefined(user)?.id, problems },
  )

const factsOf = (
  dependencies: Dependencies,
  attempt: Attempt,
): TE.TaskEither<Exclude<Failure, Invalid<unknown>>, EmailConfirmationStartFacts> =>
  pipe(
    findEnabledUser(dependencies.store, attempt.request),
    TE.bindTo('user'),
    TE.bind('emailTaken', () => isTakenByAnother(dependencies.store, attempt.request)),
    TE.bindW('passwordMatches', ({ user }) => verifyPassword(dependencies, attempt, user)),
    TE.bindW('tokenSuffices', ({ user, passwordMatches }) =>
      isSome(user) && (passwordMatches || !hasPassword(user.value))
        ? tokenSuffices(dependencies, user.value, attempt.request.userToken)
        : TE.right(false),
    ),
  )

/** The factors are read after the user, so a factor enrolled since ends the one-time token. */
const tokenSuffices = (
  { store, validateToken, clock }: Dependencies,
  user: User,
  token: Field,
): TE.TaskEither<StoreUnavailable, boolean> =>
  pipe(
    store.listFactors(user.id),
    TE.chain((factors) => {
      if (hasPassword(user) && !isDue(factors)) return TE.right(true)
      if (!isPresent(token)) return TE.right(false)
      return pipe(
        validateToken(token),
        TE.map(
          ({ kind, caller }) =>
            kind === 'user' && caller.user.id === user.id && isProvedFresh(caller, clock() / 1000),
        ),
        TE.orElse((failure) => (failure._tag === 'StoreUnavailable' ? TE.left(failure) : TE.right(false))),
      )
    }),
  )

const findEnabledUser = (
  store: Pick<Store, 'findUser'>,
  { userId }: EmailConfirmationStartRequest,
): TE.TaskEither<StoreUnavailable, Option<User>> =>
  isPresent(userId)
    ? pipe(store.findUser(userId), TE.map(filter(({ status }: User) => status === 'enabled')))
    : TE.right(none)

/**
 * Whether the password is the user's. It counts on the account like a sign-in, because an application could guess here too. For an
 * unknown user, for one without a password, and for the e-mail on record, nothing is verified.
 */
const verifyPassword = (
  { hasher, throttle, refusals }: Dependencies,
  { context, caller, request: { email, password } }: Attempt,
  known: Option<User>,
): TE.TaskEither<Throttled | HashingRefused | StoreUnavailable, boolean> => {
  if (isNone(known) || !isPresent(password)) return TE.right(false)
  const user = known.value
  if ((isPresent(email) && !changesEmail(user, email)) || !hasPassword(user)) return TE.right(false)
  const note = (reason: SignInRefusal): void =>
    refusals.note(
      { _tag: 'SignInRefused', userId: user.id, reason },
      { kind: 'application', id: caller.application.id },
      context,
    )
  const hashing = { signal: context.signal?.(), share: shareOfApplication(caller.application.id) }
  return pipe(
    withThrottle(throttle, accountKeys(user.email), {
      check: hasher.verify(password, some(user.passwordRecord), hashing),
      isSuccess: (matches) => matches,
    }),
    TE.bimap(
      (failure) => {
        if (failure._tag === 'Throttled') note('too_many_failures')
        return failure
      },
      (matches) => {
        if (!matches) note('wrong_password')
        return matches
      },
    ),
  )
}

const grantToken =
  (
    dependencies: Dependencies,
    { context, caller }: Attempt,
    { user, email }: Readonly<{ user: User; email: string }>,
  ): TE.TaskEither<StoreUnavailable, StartedEmailConfirmation> =>
  async () => {
    const { record, settings } = dependencies
    const { id: applicationId } = caller.application
    const { text, digest } = newSecret(dependencies, 'email_confirmation')
    const ttlSeconds = settings.emailConfirmationTtlSeconds
    const token = newTokenRecord(dependencies, user, {
      purpose: 'email_confirmation',
      digest,
      applicationId,
      email,
      ttlSeconds,
    })
    const recorded = await pipe(
      record(
        [{ _tag: 'EmailConfirmationStarted', token }],
        { kind: 'application', id: applicationId },
        context,
      ),
      neverFailsWith('Conflict', 'EmailTaken'),
    )()
    if (isLeft(recorded)) return recorded
    const notify = changesEmail(user, email) ? some(user.email) : none
    return right({ token: text, expiresInSeconds: ttlSeconds, notify })
  }
