import { chain, type Either, left, right } from 'fp-ts/lib/Either.js'
import { pipe } from 'fp-ts/lib/function.js'
import type { NonEmptyArray } from 'fp-ts/lib/NonEmptyArray.js'
import { some } from 'fp-ts/lib/Option.js'
import { type Field, required } from './field.ts'
import type { Session } from './session.ts'

/** The problems behind the codes of docs/assurance.md. */
export type StepUpProblem = 'PasswordMissing' | 'PasswordWrong'

export type StepUpRequest = Readonly<{ password: Field }>

/** Returns the password, or the problem with it. */
export const validateStepUp = (
  { password }: StepUpRequest,
  passwordMatches: boolean,
): Either<NonEmptyArray<StepUpProblem>, string> =>
  pipe(
    required<StepUpProblem>('PasswordMissing')(password),
    chain((sent) => (passwordMatches ? right(sent) : left(['PasswordWrong']))),
  )

/** Returns the session after its user was authenticated again. Neither its expiry nor its end moves. */
export const steppedUp = (session: Session, authenticatedAtSeconds: number): Session => ({
  ...session,
  authenticatedAtSeconds: some(authenticatedAtSeconds),
})
