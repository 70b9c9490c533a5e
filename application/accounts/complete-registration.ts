import { isLeft, left, right } from 'fp-ts/lib/Either.js'
import { pipe } from 'fp-ts/lib/function.js'
import type { NonEmptyArray } from 'fp-ts/lib/NonEmptyArray.js'
import { isNone, isSome, none, type Option, some } from 'fp-ts/lib/Option.js'
import * as TE from 'fp-ts/lib/TaskEither.js'
import type { ApplicationCaller } from '../../domain/access.ts'
import { type Field, type Invalid, invalid } from '../../domain/field.ts'
import type { LifetimeSettings } from '../../domain/lifetimes.ts'
import type { NewPasswordFields } from '../../domain/new-password.ts'
import { type RecoveryProblem, validateRecovery } from '../../domain/recovery.ts'
import { registrationCodesOf } from '../../domain/registration.ts'
import { nextStep } from '../../domain/sign-in.ts'
import type { SignUserToken } from '../keys/sign-user-token.ts'
import { type FindWeakness, findCountedWeakness } from '../passwords/find-weakness.ts'
import { shareOfEndUser } from '../passwords/hashing-shares.ts'
import type { Clock, Random } from '../ports/environment.ts'
import type { PasswordCheckUnavailable } from '../ports/failures.ts'
import type { HashingRefused, PasswordHasher } from '../ports/password-hasher.ts'
import type { Sealing } from '../ports/sealing.ts'
import type { Conflict, EmailTaken, Store, StoreUnavailable } from '../ports/store.ts'
import type { KeyUnusable } from '../ports/token-format.ts'
import { findAccount } from '../recording/change-user.ts'
import type { Fact } from '../recording/facts.ts'
import { newUserOf } from '../recording/new-user.ts'
import type { Refusals } from '../recording/note-refusals.ts'
import type { Recorder, RequestContext } from '../recording/recorder.ts'
import { openRegistration, type RegistrationLink } from '../recording/registration-links.ts'
import { openSession, type SignedIn } from '../sessions/open-session.ts'
import { type Throttle, type Throttled, withThrottle } from '../throttling/throttle.ts'

/** Returns what the link of a registration mail is for. None if it is not one, or has ended. It reads, and consumes nothing. */
export type ReadRegistration = (
  token: Field,
) => TE.TaskEither<AlreadyRegistered | StoreUnavailable, Option<RegistrationLink>>

/** The link has made its account, or another request has made one for this e-mail. Only the owner of the mailbox reads it. */
export type AlreadyRegistered = Readonly<{ _tag: 'AlreadyRegistered' }>

type Reads = Readonly<{
  store: Pick<Store, 'findUser' | 'findUserByEmail'>
  sealing: Sealing
  clock: Clock
  settings: Readonly<{ emailConfirmationTtlSeconds: number }>
}>

export const readRegistration =
  (dependencies: Reads): ReadRegistration =>
  (token) =>
  async () => {
    const link = openRegistration(dependencies, token)
    if (isNone(link)) return right(none)
    const { userId, email } = link.value
    const made = await dependencies.store.findUser(userId)()
    if (isLeft(made) || isSome(made.right)) return isLeft(made) ? made : left(ALREADY)
    const owner = await findAccount(dependencies.store, email)()
    if (isLeft(owner)) return owner
    return isSome(owner.right) ? left(ALREADY) : right(link)
  }

const ALREADY: AlreadyRegistered = { _tag: 'AlreadyRegistered' }

/**
 * Makes the account of a registration link, with a verified e-mail, and signs it in if the context has a browser and the application
 * demands no more (docs/account-pages.md). Account and session are one change.
 *
 * Of several concurrent uses of a link one succeeds. The others find the account there.
 */
export type CompleteRegistration = (
  context: RequestContext,
  caller: ApplicationCaller,
  request: RegistrationLinkRequest,
) => TE.TaskEither<RegistrationLinkFailure, Option<SignedIn>>

export type RegistrationLinkRequest = Readonly<{ token: Field; label: string | undefined }> &
  NewPasswordFields

export type RegistrationLinkFailure =
  | Invalid<RecoveryProblem>
  | AlreadyRegistered
  | Throttled
  | HashingRefused
  | PasswordCheckUnavailable
  | KeyUnusable
  | StoreUnavailable

type Dependencies = Omit<Reads, 'store' | 'settings'> &
  Readonly<{
    store: Pick<Store, 'findUser' | 'findUserByEmail' | 'listSessions' | 'findSession'>
    hasher: PasswordHasher
    signUserToken: SignUserToken
    random: Random
    record: Recorder
    refusals: Refusals
    throttle: Throttle
    findWeakness: FindWeakness
    settings: LifetimeSettings & Reads['settings'] & Readonly<{ throttle: Limit }>
  }>

/** For each network. 0 is no limit. */
type Limit = Readonly<{ registrationsPerHour: number }>

export const completeRegistration =
  (dependencies: Dependencies): CompleteRegistration =>
  (context, caller, request) =>
  async () => {
    const { throttle, settings, refusals } = dependencies
    const { id: applicationId } = caller.application
    const refuse = (failure: RegistrationLinkFailure) => {
      const codes = codesOf(failure)
      if (codes !== undefined)
        refusals.note(
          { _tag: 'RegistrationRefused', applicationId, codes },
          { kind: 'application', id: applicationId },
          context,
        )
      return left(failure)
    }
    const valid = await validated(dependencies, request)()
    if (isLeft(valid)) return refuse(valid.left)
    const { endUserAddress: address } = context
    const isLimited = settings.throttle.registrationsPerHour > 0 && address !== undefined
    const limits = isLimited ? [{ kind: 'registrations', applicationId, address } as const] : []
    const outcome = await withThrottle(throttle, limits, {
      check: register(dependencies, { context, caller, label: request.label, ...valid.right }),
      isSuccess: () => false, // each account counts, also while it is made
    })()
    return isLeft(outcome) ? refuse(outcome.left) : outcome
  }

type Valid = Readonly<{ link: RegistrationLink; newPassword: string }>

const validated =
  (
    dependencies: Dependencies,
    request: RegistrationLinkRequest,
  ): TE.TaskEither<RegistrationLinkFailure, Valid> =>
  async () => {
    const link = await readRegistration(dependencies)(request.token)()
    if (isLeft(link)) return link
    // Only behind a link, so that strangers cannot use the service to examine passwords. Weak ones count on the link.
    const weakness = isSome(link.right)
      ? await findCountedWeakness(dependencies, request.newPassword, {
          email: link.right.value.email,
          countedOn: { kind: 'one_time_token', id: link.right.value.userId },
        })()
      : right(none)
    if (isLeft(weakness)) return weakness
    const valid = validateRecovery(request, isSome(link.right), weakness.right)
    if (isLeft(valid)) return left(invalid(valid.left))
    if (isNone(link.right)) return left(invalid<RecoveryProblem>(['TokenInvalid'])) // the compiler cannot see that it is valid
    return right({ link: link.right.value, newPassword: valid.right.newPassword })
  }

type Attempt = Valid &
  Readonly<{ context: RequestContext; caller: ApplicationCaller; label: string | undefined }>

const register =
  (
    dependencies: Dependencies,
    { context, caller: { application }, label, link, newPassword }: Attempt,
  ): TE.TaskEither<RegistrationLinkFailure, Option<SignedIn>> =>
  async () => {
    const { hasher, record, clock } = dependencies
    const hashing = { signal: context.signal?.(), share: shareOfEndUser(application.id, context) }
    const password = await hasher.hash(newPassword, hashing)()
    if (isLeft(password)) return password
    const { userId: id, email } = link
    const user = newUserOf({ id, email, emailVerified: true, password: password.right })
    const registered: Fact = { _tag: 'UserRegistered', user, isByLink: true }
    const write = (facts: ReadonlyArray<Fact>) => {
      const all: NonEmptyArray<Fact> = [registered, ...facts]
      return record(all, { kind: 'application', id: application.id }, context)
    }
    const owner = { ...user, createdAtSeconds: Math.floor(clock() / 1000), version: 1 }
    if (context.browser === undefined || nextStep([], application, owner) !== 'session')
      return pipe(
        write([]),
        TE.bimap(already, () => none),
      )()
    // The mail of the link has just told its owner.
    const browser = { ...context.browser, knownUserId: id }
    return pipe(
      openSession(
        { ...dependencies, write },
        {
          user: owner,
          application,
          label: label === undefined ? none : some(label),
          remember: false,
          methods: 'password',
          context: { ...context, browser },
        },
      ),
      TE.bimap(already, some),
    )()
  }

/** The id or the e-mail is taken by then: another use of the link was faster, or another registration of the e-mail. */
const already = <F extends Readonly<{ _tag: string }>>(
  failure: F | Conflict | EmailTaken,
): Exclude<F, Conflict | EmailTaken> | AlreadyRegistered =>
  failure._tag === 'Conflict' || failure._tag === 'EmailTaken'
    ? ALREADY
    : (failure as Exclude<F, Conflict | EmailTaken>)

/** The codes of a refusal, as those of the API; undefined if the log notes none. */
const codesOf = (failure: RegistrationLinkFailure): ReadonlyArray<number> | undefined => {
  if (failure._tag === 'Throttled') return []
  const codes = failure._tag === 'Invalid' ? registrationCodesOf(failure.problems) : []
  return codes.length === 0 ? undefined : codes
}
