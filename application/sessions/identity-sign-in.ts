import { isLeft, left, right } from 'fp-ts/lib/Either.js'
import { pipe } from 'fp-ts/lib/function.js'
import { concat, type NonEmptyArray } from 'fp-ts/lib/NonEmptyArray.js'
import { none, some, toUndefined } from 'fp-ts/lib/Option.js'
import * as TE from 'fp-ts/lib/TaskEither.js'
import type { ApplicationCaller } from '../../domain/access.ts'
import { type Field, type Invalid, invalid, isPresent } from '../../domain/field.ts'
import {
  type IdentityDecision,
  type IdentityFacts,
  type IdentityProblem,
  type IdentitySignInProblem,
  judgeIdentity,
  validateIdentitySignIn,
} from '../../domain/identity.ts'
import type { LifetimeSettings } from '../../domain/lifetimes.ts'
import type { IdentityRefusalReason } from '../../domain/refusal-reasons.ts'
import { type NextStep, nextStep } from '../../domain/sign-in.ts'
import { NO_PASSWORD, type User, withoutSessions } from '../../domain/user.ts'
import { asOutcome } from '../factors/answer-in-session.ts'
import { findLinked, findOwner, newIdentityFactor, type ProvedIdentity } from '../factors/identity-factor.ts'
import { IDENTITY_FOR, type Identities, openTransaction } from '../factors/identity-transaction.ts'
import type { Passkeys } from '../factors/passkey-ceremony.ts'
import { isAuthenticatedSince } from '../factors/prove-identity-again.ts'
import type { SignUserToken } from '../keys/sign-user-token.ts'
import type { Clock, Digests, Random } from '../ports/environment.ts'
import type { Overloaded } from '../ports/failures.ts'
import type { IdentityRefused, ProviderUnavailable } from '../ports/identity-provider.ts'
import type { Conflict, Store, StoreUnavailable } from '../ports/store.ts'
import type { KeyUnusable } from '../ports/token-format.ts'
import type { Fact } from '../recording/facts.ts'
import { newUserOf } from '../recording/new-user.ts'
import type { Refusals } from '../recording/note-refusals.ts'
import type { Recorder, RequestContext } from '../recording/recorder.ts'
import { retryOnConflict } from '../recording/retry-on-conflict.ts'
import { type Throttle, type Throttled, withThrottle } from '../throttling/throttle.ts'
import { endUserKeys, registrationKeys } from '../throttling/throttle-key.ts'
import { awaitSecondFactor, type SecondFactorDue } from './await-second-factor.ts'
import { openSession, type SignedIn } from './open-session.ts'
import type { EmailNotVerified, SecondFactorMissing } from './sign-in.ts'

/**
 * Signs a user in whom a provider has authenticated (docs/identities.md), or begins a sign-in with a second factor. The first sign-in may
 * link the identity to its user, or register a user without a password, in the same change.
 *
 * Of two first sign-ins at once one writes. The other one finds what it wrote, and signs in.
 */
export type CompleteIdentitySignIn = (
  context: RequestContext,
  caller: ApplicationCaller,
  request: IdentitySignInRequest,
) => TE.TaskEither<Refused | Failure, SignedInWithIdentity>

export type IdentitySignInRequest = Readonly<{
  transaction: Field
  answer: Field
  label?: Field
  remember?: boolean
}>

/** The same where only one user may be signed in. For another one nothing is written. */
export type CompleteIdentitySignInOf = (
  context: RequestContext,
  caller: ApplicationCaller,
  request: OwnIdentityRequest,
) => TE.TaskEither<Refused | OtherUser | Failure, SignedInWithIdentity>

type OwnIdentityRequest = IdentitySignInRequest & Readonly<{ onlyUserId?: string | undefined }>

/** `isNew`: the user was registered with this sign-in. */
export type SignedInWithIdentity = SignedIn & Readonly<{ isNew: boolean }>

/** The identity signs in another user than the only one that may be. */
export type OtherUser = Readonly<{ _tag: 'OtherUser' }>

type Refused =
  | Invalid<IdentitySignInProblem | IdentityProblem>
  | IdentityRefused
  | SecondFactorDue
  | SecondFactorMissing
  | EmailNotVerified
type Judged = Refused | OtherUser | Failure
type Failure = Throttled | Overloaded | KeyUnusable | StoreUnavailable | ProviderUnavailable

type Dependencies = Readonly<{
  store: Pick<Store, 'findFactor' | 'findUserByEmail' | 'listFactors' | 'listSessions' | 'findSession'>
  signUserToken: SignUserToken
  clock: Clock
  random: Random
  digests: Digests
  record: Recorder
  refusals: Refusals
  throttle: Throttle
  passkeys: Passkeys | undefined
  identities: Identities
  settings: LifetimeSettings &
    Readonly<{ identityRegistration: boolean; throttle: Readonly<{ registrationsPerHour: number }> }>
}>

export const completeIdentitySignIn = (dependencies: Dependencies): CompleteIdentitySignIn =>
  completeIdentitySignInOf(dependencies) as CompleteIdentitySignIn // every user may be signed in

export const completeIdentitySignInOf =
  (dependencies: Dependencies): CompleteIdentitySignInOf =>
  (context, caller, request) =>
  async () => {
    const { application } = caller
    const about = IDENTITY_FOR.signIn(application.id)
    const transaction = openTransaction(dependencies, request.transaction, about)
    const provider = toUndefined(transaction)?.provider
    const note = (reason: IdentityRefusalReason, user?: User) =>
      dependencies.refusals.note(
        { _tag: 'IdentityRefused', userId: user?.id, provider: provider?.name, reason },
        { kind: 'application', id: application.id },
        context,
      )
    const valid = validateIdentitySignIn(request, transaction)
    if (isLeft(valid)) {
      note('invalid_fields')
      return left(invalid(valid.left))
    }
    const { answer, begun } = valid.right
    const attempt = { context, caller, request, note }
    const outcome = await withThrottle(dependencies.throttle, endUserKeys(context, application.id), {
      check: asOutcome<Judged, SignedInWithIdentity>(
        pipe(
          begun.provider.complete(answer, begun.request),
          TE.filterOrElseW(
            (identity) =>
              begun.request.isAgain !== true || isAuthenticatedSince(begun.issuedAtSeconds, identity),
            (): IdentityRefused => ({ _tag: 'IdentityRefused', reason: 'invalid_id_token' }),
          ),
          TE.chainW((identity) =>
            signInProved(dependencies, attempt, { provider: begun.provider, identity }),
          ),
        ),
      ),
      isSuccess: (judged) => !isLeft(judged),
    })()
    if (isLeft(outcome)) {
      if (outcome.left._tag === 'Throttled') note('too_many_failures')
      return outcome
    }
    if (isLeft(outcome.right)) note(outcome.right.left.reason)
    return outcome.right
  }

type Attempt = Readonly<{
  context: RequestContext
  caller: ApplicationCaller
  request: OwnIdentityRequest
  note: (reason: IdentityRefusalReason, user?: User) => void
}>

type Proved = Omit<ProvedIdentity, 'linked'>
type Found = Readonly<{ proved: ProvedIdentity; facts: IdentityFacts }>

const signInProved = (
  dependencies: Dependencies,
  attempt: Attempt,
  proved: Proved,
): TE.TaskEither<Judged, SignedInWithIdentity> => {
  const read = () => find(dependencies, attempt, proved)
  const decide = (found: Found): TE.TaskEither<Judged | Conflict, SignedInWithIdentity> => {
    const decided = judgeIdentity(found.facts)
    if (isLeft(decided)) {
      attempt.note(REASONS[decided.left], toUndefined(found.facts.owner)?.user)
      return TE.left(invalid<IdentityProblem>([decided.left]))
    }
    return signInOnce(dependencies, attempt, found.proved, decided.right)
  }
  return pipe(read(), TE.chainW(retryOnConflict(read, decide)))
}

const find = (
  { store, digests, settings }: Dependencies,
  { caller }: Attempt,
  { provider, identity }: Proved,
): TE.TaskEither<StoreUnavailable, Found> =>
  pipe(
    // The factor is read last: an owner who has the identity by then would look like one with another identity of its issuer.
    findOwner(store, identity.verifiedEmail),
    TE.bindTo('owner'),
    TE.bind('linked', () =>
      findLinked({ store, digests }, { issuer: provider.issuer, subject: identity.subject }),
    ),
    TE.map(({ linked, owner }) => ({
      proved: { provider, identity, linked },
      facts: {
        linked,
        email: identity.verifiedEmail,
        issuer: provider.issuer,
        owner,
        mayRegister: settings.identityRegistration && caller.scope.includes('users:register'),
      },
    })),
  )

const signInOnce =
  (
    dependencies: Dependencies,
    { context, caller: { application }, request, note }: Attempt,
    proved: ProvedIdentity,
    decision: IdentityDecision,
  ): TE.TaskEither<Judged | Conflict, SignedInWithIdentity> =>
  async () => {
    const { store, record, random } = dependencies
    const prepared = prepare({ ...dependencies, random }, proved, decision)
    const factors = decision.kind === 'sign_in' ? await store.listFactors(prepared.user.id)() : right([])
    if (isLeft(factors)) return factors
    const { user, before } = prepared
    if (request.onlyUserId !== undefined && request.onlyUserId !== user.id) return left({ _tag: 'OtherUser' })
    const label = isPresent(request.label) ? some(request.label) : none
    const remember = request.remember === true
    // Another request may have registered the e-mail, so the facts are read again.
    const write = (facts: NonEmptyArray<Fact>): TE.TaskEither<Conflict | StoreUnavailable, void> =>
      pipe(
        record(concat(facts)(before), { kind: 'application', id: application.id }, context),
        TE.mapLeft((failure) => (failure._tag === 'EmailTaken' ? { _tag: 'Conflict' } : failure)),
      )
    const next: Readonly<Record<NextStep, () => TE.TaskEither<Judged | Conflict, SignedInWithIdentity>>> = {
      session: () =>
        pipe(
          openSession(
            { ...dependencies, write },
            { user, application, label, remember, methods: 'identity', context },
          ),
          TE.map((signedIn) => ({ ...signedIn, isNew: decision.kind === 'register' })),
        ),
      second_factor: () =>
        awaitSecondFactor(dependencies, {
          user,
          label,
          remember,
          first: some('identity'),
          factors: factors.right,
          application,
          write,
        }),
      enrolment: () => {
        note('no_second_factor', user)
        return TE.left({ _tag: 'SecondFactorMissing' })
      },
      confirmation: () => {
        note('email_not_verified', user)
        return TE.left({ _tag: 'EmailNotVerified' })
      },
    }
    return withThrottle(
      dependencies.throttle,
      decision.kind === 'register'
        ? registrationKeys(context, application.id, dependencies.settings.throttle)
        : [],
      // Each new user counts, also while it is made.
      { check: next[nextStep(factors.right, application, user)](), isSuccess: () => false },
    )()
  }

/** Returns the user whom the decision signs in, and what is recorded before the sign-in. */
const prepare = (
  dependencies: Readonly<{ clock: Clock; digests: Digests; random: Random }>,
  proved: ProvedIdentity,
  decision: IdentityDecision,
): Readonly<{ user: User; before: Array<Fact> }> => {
  switch (decision.kind) {
    case 'sign_in': {
      const { user, factor } = decision
      return { user, before: [{ _tag: 'FactorUsed', user, factor }] }
    }
    case 'link': {
      const factor = newIdentityFactor(dependencies, proved, decision.user.id)
      // All sessions end: one of them may be of a stranger who knows the password.
      return {
        user: withoutSessions(decision.user),
        before: [{ _tag: 'FactorEnrolled', user: decision.user, factor }],
      }
    }
    case 'register': {
      const id = dependencies.random.uuid()
      const user = newUserOf({ id, email: decision.email, emailVerified: true, password: NO_PASSWORD })
      return {
        user: { ...user, createdAtSeconds: Math.floor(dependencies.clock() / 1000), version: 1 },
        before: [
          { _tag: 'UserRegistered', user },
          { _tag: 'FactorImported', factor: newIdentityFactor(dependencies, proved, id) },
        ],
      }
    }
  }
}

const REASONS: Readonly<Record<IdentityProblem, IdentityRefusalReason>> = {
  EmailNotVouchedFor: 'email_not_vouched_for',
  LinkFirst: 'link_first',
  UserDisabled: 'user_disabled',
  RegistrationOff: 'registration_off',
}
