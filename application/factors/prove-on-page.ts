import { isLeft, left } from 'fp-ts/lib/Either.js'
import { pipe } from 'fp-ts/lib/function.js'
import { isNone } from 'fp-ts/lib/Option.js'
import * as TE from 'fp-ts/lib/TaskEither.js'
import { withSecond } from '../../domain/assurance.ts'
import { isDue } from '../../domain/factor.ts'
import { type Invalid, invalid } from '../../domain/field.ts'
import type { PageVisitor } from '../../domain/page-visitor.ts'
import { onlyElement, type ProofFields, type ProofProblem, proofsOf } from '../../domain/second-factor.ts'
import { type Credentials, type CredentialsProblem, validateCredentials } from '../../domain/sign-in.ts'
import { checkCredentials } from '../passwords/check-credentials.ts'
import type { EvenTiming } from '../passwords/even-timing.ts'
import { shareOfPages } from '../passwords/hashing-shares.ts'
import type { Clock, Digests } from '../ports/environment.ts'
import type { Overloaded } from '../ports/failures.ts'
import type { KeyWrapping } from '../ports/key-wrapping.ts'
import type { HashingRefused, PasswordHasher } from '../ports/password-hasher.ts'
import type { Conflict, Store, StoreUnavailable } from '../ports/store.ts'
import type { InvalidToken, KeyUnusable } from '../ports/token-format.ts'
import type { Fact } from '../recording/facts.ts'
import type { Refusals } from '../recording/note-refusals.ts'
import { neverFailsWith, type Recorder, type RequestContext } from '../recording/recorder.ts'
import { retryOnConflict } from '../recording/retry-on-conflict.ts'
import type { Throttle, Throttled } from '../throttling/throttle.ts'
import { pageKeys } from '../throttling/throttle-key.ts'
import { readVisitorAgain } from './change-own-factors.ts'
import type { PasskeysOfPages } from './passkey-ceremony.ts'
import { secondStepSubject } from './passkey-on-page.ts'
import { proveSecondFactor } from './prove-second-factor.ts'
import { type Unproven, verifyProof } from './verify-proof.ts'

/**
 * Checks the e-mail and the password of a visitor, like those of a sign-in, and opens no session. If a second factor is due, the log says
 * that the password was right: without a `FactorUsed` after it, another person may know it.
 */
export type ProvePassword = (
  context: RequestContext,
  credentials: Credentials,
) => TE.TaskEither<Invalid<CredentialsProblem> | Throttled | HashingRefused | StoreUnavailable, PageVisitor>

type PasswordDependencies = Readonly<{
  store: Pick<Store, 'findUserByEmail' | 'listFactors'>
  hasher: PasswordHasher
  clock: Clock
  refusals: Refusals
  throttle: Throttle
  evenTiming: EvenTiming
}>

export const provePassword =
  (dependencies: PasswordDependencies): ProvePassword =>
  (context, { email, password }) =>
  async () => {
    const account = await checkCredentials(dependencies, {
      context,
      credentials: { email, password },
      actor: { kind: 'nobody' },
      share: shareOfPages(context),
      network: pageKeys(context),
    })()
    if (isLeft(account)) return account
    const valid = validateCredentials({ email, password }, account.right)
    if (isLeft(valid)) return left(invalid(valid.left))
    const user = valid.right
    return pipe(
      // Read after the password was right, so that a refusal takes the same time with and without factors.
      dependencies.store.listFactors(user.id),
      TE.map((factors): PageVisitor => {
        if (isDue(factors)) noteMissingProof(dependencies.refusals, user.id, context)
        return { kind: 'visitor', user, methods: 'password', provedAtMs: dependencies.clock() }
      }),
    )()
  }

/** The password was right, or a form came without a code. */
export const noteMissingProof = (refusals: Refusals, userId: string, context: RequestContext): void =>
  refusals.note(
    { _tag: 'SecondFactorRefused', userId, reason: 'missing_field' },
    { kind: 'user', id: userId },
    context,
  )

export type SecondStepProblem = 'ProofMissing' | ProofProblem

/** Lets a visitor prove the second factor. Only its use is recorded: no session opens. If the proof of the password has ended, then `InvalidToken`. */
export type ProveSecondStep = (
  context: RequestContext,
  visitor: PageVisitor,
  fields: ProofFields,
) => TE.TaskEither<
  Invalid<SecondStepProblem> | InvalidToken | Throttled | KeyUnusable | Overloaded | StoreUnavailable,
  PageVisitor
>

export type StepDependencies = Readonly<{
  store: Pick<Store, 'findUser' | 'listFactors'>
  clock: Clock
  digests: Digests
  wrapping: KeyWrapping
  record: Recorder
  refusals: Refusals
  throttle: Throttle
  passkeys: PasskeysOfPages | undefined
}>

export const proveSecondStep =
  (dependencies: StepDependencies): ProveSecondStep =>
  (context, visitor, fields) =>
    recordWithProof(dependencies, () => [])(context, visitor, fields)

/** Lets a visitor prove the second factor, and records in the same change what it permits, for the visitor as read last. */
export const recordWithProof =
  (
    dependencies: StepDependencies,
    permitted: (visitor: PageVisitor) => ReadonlyArray<Fact>,
  ): ProveSecondStep =>
  (context, visitor, fields) => {
    const { id } = visitor.user
    const actor = { kind: 'user', id } as const
    const sent = onlyElement(proofsOf(fields))
    if (isNone(sent)) {
      noteMissingProof(dependencies.refusals, id, context)
      return TE.left(invalid<SecondStepProblem>(['ProofMissing']))
    }
    const proof = sent.value
    const { passkeys } = dependencies
    const ceremony = passkeys && { passkeys, about: secondStepSubject(visitor) }
    const proveOnce = (
      current: PageVisitor,
    ): TE.TaskEither<Unproven | Conflict | KeyUnusable | StoreUnavailable, PageVisitor> =>
      pipe(
        verifyProof(dependencies, { userId: id, proof, ceremony }),
        TE.chainW(({ second, ...used }) =>
          pipe(
            dependencies.record(
              [{ _tag: 'FactorUsed', user: current.user, ...used }, ...permitted(current)],
              actor,
              context,
            ),
            neverFailsWith('EmailTaken'),
            TE.map(() => ({
              ...current,
              methods: withSecond(current, second),
              provedAtMs: dependencies.clock(),
            })),
          ),
        ),
      )
    return proveSecondFactor(
      dependencies,
      { userId: id, proof, network: pageKeys(context), actor, context },
      retryOnConflict(readVisitorAgain(dependencies.store), proveOnce)(visitor),
    )
  }
