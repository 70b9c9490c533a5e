import { isLeft, left } from 'fp-ts/lib/Either.js'
import { pipe } from 'fp-ts/lib/function.js'
import type { NonEmptyArray } from 'fp-ts/lib/NonEmptyArray.js'
import { none, some } from 'fp-ts/lib/Option.js'
import * as TE from 'fp-ts/lib/TaskEither.js'
import type { ApplicationCaller } from '../../domain/access.ts'
import { type Invalid, invalid, isPresent } from '../../domain/field.ts'
import type { LifetimeSettings } from '../../domain/lifetimes.ts'
import type { SignInRefusal } from '../../domain/refusal-reasons.ts'
import {
  type NextStep,
  nextStep,
  type SignInProblem,
  type SignInRequest,
  validateSignIn,
} from '../../domain/sign-in.ts'
import type { Passkeys } from '../factors/passkey-ceremony.ts'
import type { SignUserToken } from '../keys/sign-user-token.ts'
import { checkCredentials } from '../passwords/check-credentials.ts'
import type { EvenTiming } from '../passwords/even-timing.ts'
import { shareOfEndUser } from '../passwords/hashing-shares.ts'
import type { Clock, Digests, Random } from '../ports/environment.ts'
import type { HashingRefused, PasswordHasher } from '../ports/password-hasher.ts'
import type { Store, StoreUnavailable } from '../ports/store.ts'
import type { KeyUnusable } from '../ports/token-format.ts'
import type { Fact } from '../recording/facts.ts'
import type { Refusals } from '../recording/note-refusals.ts'
import { neverFailsWith, type Recorder, type RequestContext, ruleOut } from '../recording/recorder.ts'
import type { Tagged } from '../recording/retry-on-conflict.ts'
import type { Throttle, Throttled } from '../throttling/throttle.ts'
import { endUserKeys } from '../throttling/throttle-key.ts'
import { awaitSecondFactor, type SecondFactorDue } from './await-second-factor.ts'
import { openSession, type SignedIn } from './open-session.ts'
import type { Rehash } from './rehash.ts'

/** Signs a user in for an application (docs/contract.md §5.1), or begins a sign-in with a second factor (docs/second-factor.md). */
export type SignIn = (
  context: RequestContext,
  caller: ApplicationCaller,
  request: SignInRequest,
) => TE.TaskEither<
  | Invalid<SignInProblem>
  | SecondFactorDue
  | SecondFactorMissing
  | EmailNotVerified
  | Throttled
  | HashingRefused
  | KeyUnusable
  | StoreUnavailable,
  SignedIn
>

/** The password is right, but the application requires a second factor, and the user has none. */
export type SecondFactorMissing = Readonly<{ _tag: 'SecondFactorMissing' }>

/** The password is right, but the application requires a verified e-mail, and the user has none. */
export type EmailNotVerified = Readonly<{ _tag: 'EmailNotVerified' }>

type Dependencies = Readonly<{
  store: Pick<Store, 'findUserByEmail' | 'listFactors' | 'listSessions' | 'findSession'>
  hasher: PasswordHasher
  signUserToken: SignUserToken
  clock: Clock
  random: Random
  digests: Digests
  record: Recorder
  refusals: Refusals
  throttle: Throttle
  rehash: Rehash
  evenTiming: EvenTiming
  passkeys: Passkeys | undefined
  settings: LifetimeSettings
}>

export const signIn =
  (dependencies: Dependencies): SignIn =>
  (context, caller, request) =>
  async () => {
    const { store, rehash } = dependencies
    const { application } = caller
    const { id } = application
    const share = shareOfEndUser(id, context)
    const account = await checkCredentials(dependencies, {
      context,
      credentials: request,
      actor: { kind: 'application', id },
      share,
      network: endUserKeys(context, id),
    })()
    if (isLeft(account)) return account
    const valid = validateSignIn(request, account.right)
    if (isLeft(valid)) return left(invalid(valid.left))
    const user = valid.right
    // Read after the password was right, so that a refusal takes the same time with and without factors.
    const factors = await store.listFactors(user.id)()
    if (isLeft(factors)) return factors
    const label = isPresent(request.label) ? some(request.label) : none
    const remember = request.remember === true
    const write = (facts: NonEmptyArray<Fact>) =>
      pipe(dependencies.record(facts, { kind: 'application', id }, context), neverFailsWith('EmailTaken'))
    const next: Readonly<Record<NextStep, () => ReturnType<SignIn>>> = {
      session: () =>
        pipe(
          openSession(
            { ...dependencies, write },
            { user, application, label, remember, methods: 'password', context },
          ),
          TE.mapLeft((failure) => ruleOut(failure, 'Conflict')), // new rows conflict with none
        ),
      second_factor: () =>
        pipe(
          awaitSecondFactor(dependencies, {
            user,
            label,
            remember,
            first: none,
            factors: factors.right,
            application,
            write,
          }),
          TE.mapLeft((failure) => ruleOut(failure, 'Conflict')), // it writes a new row
        ),
      enrolment: () => TE.left({ _tag: 'SecondFactorMissing' }),
      confirmation: () => TE.left({ _tag: 'EmailNotVerified' }),
    }
    const outcome = await next[nextStep(factors.right, application, user)]()()
    const reason = isLeft(outcome) ? REASONS[outcome.left._tag] : undefined
    if (reason !== undefined)
      dependencies.refusals.note(
        { _tag: 'SignInRefused', userId: user.id, reason },
        { kind: 'application', id },
        context,
      )
    if (isPresent(request.password) && (!isLeft(outcome) || asksForMore(outcome.left)))
      rehash({ user, password: request.password, share }, context)
    return outcome
  }

/** The password was right, and the application asks for more. */
const asksForMore = ({ _tag }: Tagged): boolean =>
  _tag === 'SecondFactorDue' || _tag === 'SecondFactorMissing' || _tag === 'EmailNotVerified'

/** Why a sign-in with the right password failed, as the log says it. */
const REASONS: Readonly<Record<string, SignInRefusal>> = {
  SecondFactorMissing: 'no_second_factor',
  EmailNotVerified: 'email_not_verified',
  Throttled: 'too_many_failures',
}
