import { type Either, fromOption } from 'fp-ts/lib/Either.js'
import type { NonEmptyArray } from 'fp-ts/lib/NonEmptyArray.js'
import type { Methods } from './assurance.ts'
import { type Field, isPresent } from './field.ts'
import { onlyElement, type Proof, type ProofFields, type ProofProblem, proofsOf } from './second-factor.ts'
import type { Session } from './session.ts'

/** The problems behind the codes of docs/assurance.md. */
export type StepUpProblem =
  | 'ProofMissing'
  | 'PasswordWrong'
  | 'PasswordNotEnough'
  | 'IdentityRefused'
  | 'IdentityNotEnough'
  | ProofProblem

export type StepUpRequest = Readonly<{ password: Field; transaction?: Field; answer?: Field }> & ProofFields

/** An answer of a provider, and the transaction that it belongs to. */
export type IdentityAgain = Readonly<{ method: 'identity'; transaction: string; answer: string }>

/** What the user repeats: the password, a sign-in at a provider, or a proof of a second factor. */
export type StepUpProof = Proof | IdentityAgain | Readonly<{ method: 'password'; sent: string }>

/** Returns what the user repeats. Of several proofs none is judged. */
export const validateStepUp = (request: StepUpRequest): Either<NonEmptyArray<StepUpProblem>, StepUpProof> => {
  const { password, transaction, answer } = request
  const passwords = isPresent(password) ? [{ method: 'password', sent: password } as const] : []
  const identities =
    isPresent(transaction) || isPresent(answer)
      ? [{ method: 'identity', transaction: transaction ?? '', answer: answer ?? '' } as const]
      : []
  return fromOption((): NonEmptyArray<StepUpProblem> => ['ProofMissing'])(
    onlyElement<StepUpProof>([...passwords, ...identities, ...proofsOf(request)]),
  )
}

/** How a user was authenticated again. */
export type StepUpAuthentication = Readonly<{ methods: Methods; authenticatedAtSeconds: number }>

/** Returns the session after its user was authenticated again. Neither its expiry nor its end moves. */
export const steppedUp = (
  session: Session,
  { methods, authenticatedAtSeconds }: StepUpAuthentication,
): Session => ({
  ...session,
  methods,
  authenticatedAtSeconds,
})
