import { pipe } from 'fp-ts/lib/function.js'
import { isNone } from 'fp-ts/lib/Option.js'
import * as TE from 'fp-ts/lib/TaskEither.js'
import type { Field, Invalid } from '../../domain/field.ts'
import type { ProofFields } from '../../domain/second-factor.ts'
import { openPasswordChange } from '../factors/page-proofs.ts'
import { recordWithProof, type SecondStepProblem, type StepDependencies } from '../factors/prove-on-page.ts'
import type { Random } from '../ports/environment.ts'
import type { Overloaded } from '../ports/failures.ts'
import type { Sealing } from '../ports/sealing.ts'
import type { StoreUnavailable } from '../ports/store.ts'
import type { InvalidToken, KeyUnusable } from '../ports/token-format.ts'
import type { RequestContext } from '../recording/recorder.ts'
import { type Throttled, withThrottle } from '../throttling/throttle.ts'
import { passwordChangeKeys } from '../throttling/throttle-key.ts'

/**
 * The second step of a change of the password by e-mail (docs/account-pages.md). The factor is used and the password set in one change.
 * If the proof of the first step has ended, then `InvalidToken`. The change ends the proof too, so it works once. It counts on
 * the limit of `ChangePassword`, before the factor is examined.
 */
export type CompletePasswordChange = (
  context: RequestContext,
  request: ProofFields & Readonly<{ proof: Field }>,
) => TE.TaskEither<
  Invalid<SecondStepProblem> | InvalidToken | Throttled | KeyUnusable | Overloaded | StoreUnavailable,
  void
>

type Dependencies = StepDependencies & Readonly<{ sealing: Sealing; random: Random; mailsNotices: boolean }>

export const completePasswordChange =
  (dependencies: Dependencies): CompletePasswordChange =>
  (context, { proof, ...fields }) =>
    pipe(
      openPasswordChange(dependencies, proof),
      TE.chainW((opened): ReturnType<CompletePasswordChange> => {
        if (isNone(opened)) return TE.left({ _tag: 'InvalidToken' })
        const { visitor, password } = opened.value
        const change = recordWithProof(dependencies, ({ user }) => [{ _tag: 'PasswordSet', user, password }])
        const keys = passwordChangeKeys({ ...dependencies, userId: visitor.user.id })
        return pipe(
          withThrottle(dependencies.throttle, keys, {
            check: change(context, visitor, fields),
            isSuccess: () => false,
          }),
          TE.map(() => undefined),
        )
      }),
    )
