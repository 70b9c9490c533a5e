import { type Either, isLeft, left, right } from 'fp-ts/lib/Either.js'
import { pipe } from 'fp-ts/lib/function.js'
import { concat, type NonEmptyArray } from 'fp-ts/lib/NonEmptyArray.js'
import { none, type Option, some, toUndefined } from 'fp-ts/lib/Option.js'
import * as TE from 'fp-ts/lib/TaskEither.js'
import type { ApplicationCaller } from '../../domain/access.ts'
import { type Invalid, invalid, isPresent } from '../../domain/field.ts'
import type { LifetimeSettings } from '../../domain/lifetimes.ts'
import type { SignInRefusal } from '../../domain/refusal-reasons.ts'
import { type NextStep, nextStep } from '../../domain/sign-in.ts'
import { claimed, type User } from '../../domain/user.ts'
import { namedBy } from '../../domain/user-naming.ts'
import {
  type VouchedSignIn,
  type VouchedSignInProblem,
  type VouchedSignInRequest,
  validateVouchedSignIn,
  vouchedRefusal,
} from '../../domain/vouched-sign-in.ts'
import type { Passkeys } from '../factors/passkey-ceremony.ts'
import type { SignUserToken } from '../keys/sign-user-token.ts'
import type { Clock, Digests, Random } from '../ports/environment.ts'
import type { Overloaded } from '../ports/failures.ts'
import type { Conflict, Store, StoreUnavailable } from '../ports/store.ts'
import type { KeyUnusable } from '../ports/token-format.ts'
import { findNamed } from '../recording/change-user.ts'
import type { Fact } from '../recording/facts.ts'
import type { Refusals } from '../recording/note-refusals.ts'
import { neverFailsWith, type Recorder, type RequestContext } from '../recording/recorder.ts'
import { retryOnConflict } from '../recording/retry-on-conflict.ts'
import { type Throttle, type Throttled, withThrottle } from '../throttling/throttle.ts'
import { vouchedKeys } from '../throttling/throttle-key.ts'
import { awaitSecondFactor, type SecondFactorDue } from './await-second-factor.ts'
import { openSession, type SignedIn } from './open-session.ts'
import type { SecondFactorMissing } from './sign-in.ts'

/**
 * Signs a user in whom an application has authenticated elsewhere (docs/vouched-sign-in.md), or begins a sign-in with a second factor.
 *
 * An account with an e-mail that is not proved is claimed in the same change. Of two claims at once, the second finds the e-mail proved, and
 * signs in plainly.
 */
export type SignInVouched = (
  context: RequestContext,
  caller: ApplicationCaller,
  request: VouchedSignInRequest,
) => TE.TaskEither<Refused | Failure, SignedIn>

type Refused = Invalid<VouchedSignInProblem> | SecondFactorDue | SecondFactorMissing
type Failure = Throttled | Overloaded | KeyUnusable | StoreUnavailable

type Dependencies = Readonly<{
  store: Pick<Store, 'findUser' | 'findUserByEmail' | 'listFactors' | 'listSessions' | 'findSession'>
  signUserToken: SignUserToken
  clock: Clock
  random: Random
  digests: Digests
  record: Recorder
  refusals: Refusals
  throttle: Throttle
  passkeys: Passkeys | undefined
  settings: LifetimeSettings
}>

export const signInVouched =
  (dependencies: Dependencies): SignInVouched =>
  (context, caller, request) =>
  async () => {
    const { store, throttle } = dependencies
    const attempt = { context, caller, request }
    const found = await find(store, request)()
    if (isLeft(found)) return found
    const valid = validateVouchedSignIn(request, found.right, caller.application)
    if (isLeft(valid)) {
      note(dependencies, attempt, { user: found.right, reason: vouchedRefusal(valid.left) })
      return left(invalid(valid.left))
    }
    const { user } = valid.right
    // Each attempt counts, also one that needs a second factor: its answer tells that the user has one.
    const outcome = await withThrottle(throttle, vouchedKeys(caller.application.id, user.id), {
      check: attemptOnFreshFacts(dependencies, attempt)(found.right),
      isSuccess: () => false,
    })()
    if (isLeft(outcome)) {
      const { left: failure } = outcome
      if (failure._tag === 'Throttled')
        note(dependencies, attempt, { user: some(user), reason: tooMany(failure) })
      return outcome
    }
    return outcome.right
  }

type Attempt = Readonly<{ context: RequestContext; caller: ApplicationCaller; request: VouchedSignInRequest }>

const find = (
  store: Pick<Store, 'findUser' | 'findUserByEmail'>,
  request: VouchedSignInRequest,
): TE.TaskEither<StoreUnavailable, Option<User>> => {
  const named = namedBy(request)
  return named === undefined ? TE.right(none) : findNamed(store, named)
}

const note = (
  { refusals }: Pick<Dependencies, 'refusals'>,
  { context, caller }: Attempt,
  { user, reason }: Readonly<{ user: Option<User>; reason: SignInRefusal }>,
): void =>
  refusals.note(
    { _tag: 'SignInRefused', userId: toUndefined(user)?.id, reason },
    { kind: 'application', id: caller.application.id },
    context,
  )

/** The limit of sign-ins of the user is that of every sign-in. */
const tooMany = ({ tooMany: starts }: Throttled): SignInRefusal =>
  starts === 'sign_ins' ? 'too_many_failures' : 'too_many_vouched'

/** A refusal is an outcome, because it counts. */
type Outcome = Either<Refused, SignedIn>

/** Only a claim can conflict: the user is read again, and may be claimed, disabled or removed by then. */
const attemptOnFreshFacts = (
  dependencies: Dependencies,
  attempt: Attempt,
): ((found: Option<User>) => TE.TaskEither<Failure, Outcome>) => {
  const decide = (found: Option<User>): TE.TaskEither<Failure | Conflict, Outcome> => {
    const valid = validateVouchedSignIn(attempt.request, found, attempt.caller.application)
    if (isLeft(valid)) {
      note(dependencies, attempt, { user: found, reason: vouchedRefusal(valid.left) })
      return TE.right(left(invalid(valid.left)))
    }
    return signInOnce(dependencies, attempt, valid.right)
  }
  return retryOnConflict(() => find(dependencies.store, attempt.request), decide)
}

const signInOnce =
  (
    dependencies: Dependencies,
    attempt: Attempt,
    { user: before, method, claims }: VouchedSignIn,
  ): TE.TaskEither<Failure | Conflict, Outcome> =>
  async () => {
    const { context, caller, request } = attempt
    const { application } = caller
    const factors = await dependencies.store.listFactors(before.id)()
    if (isLeft(factors)) return factors
    const user = claims ? claimed(before) : before
    const label = isPresent(request.label) ? some(request.label) : none
    const remember = request.remember === true
    const claim: Array<Fact> = claims ? [{ _tag: 'AccountClaimed', user: before }] : []
    const write = (facts: NonEmptyArray<Fact>) =>
      pipe(
        dependencies.record(concat(facts)(claim), { kind: 'application', id: application.id }, context),
        neverFailsWith('EmailTaken'),
      )
    const next: Readonly<Record<NextStep, () => TE.TaskEither<Failure | Conflict, Outcome>>> = {
      session: () =>
        pipe(
          openSession(
            { ...dependencies, write },
            {
              user,
              application,
              label,
              remember,
              methods: method,
              context,
            },
          ),
          TE.map((signedIn) => right(signedIn)),
        ),
      second_factor: () =>
        pipe(
          awaitSecondFactor(dependencies, {
            user,
            label,
            remember,
            first: some(method),
            factors: factors.right,
            application,
            write,
          }),
          TE.orElse((failure) =>
            failure._tag === 'SecondFactorDue' ? TE.right(left(failure)) : TE.left(failure),
          ),
        ),
      enrolment: () => {
        note(dependencies, attempt, { user: some(user), reason: 'no_second_factor' })
        return TE.right(left({ _tag: 'SecondFactorMissing' }))
      },
      confirmation: () => TE.right(left(invalid(['EmailNotVerified']))), // `validateVouchedSignIn` has refused it
    }
    return next[nextStep(factors.right, application, user)]()()
  }
