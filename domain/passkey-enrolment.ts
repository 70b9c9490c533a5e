import { chain, type Either, left, right } from 'fp-ts/lib/Either.js'
import { pipe } from 'fp-ts/lib/function.js'
import type { NonEmptyArray } from 'fp-ts/lib/NonEmptyArray.js'
import { type FactorNameProblem, validateFactorName } from './factor-enrolment.ts'
import { combineFields, type Field, isPresent, required } from './field.ts'

/** The problems behind the codes of the registration of a passkey (docs/second-factor.md). */
export type PasskeyEnrolmentProblem = 'CredentialMissing' | CredentialRefusal | FactorNameProblem

/** Why a passkey is not enrolled. `CredentialYours`: it is one of the user's already, for example if the registration was sent twice. */
export type CredentialRefusal = 'CredentialInvalid' | 'CredentialTaken' | 'CredentialYours'

export type PasskeyEnrolmentRequest = Readonly<{ credential: Field; name: Field }>

const combine = combineFields<PasskeyEnrolmentProblem>()

/**
 * Returns the passkey and its name, or all problems of the request.
 *
 * @param passkey the one that the credential proves, or why it is refused
 */
export const validatePasskeyEnrolment = <Passkey>(
  { credential, name }: PasskeyEnrolmentRequest,
  passkey: Either<CredentialRefusal, Passkey>,
): Either<NonEmptyArray<PasskeyEnrolmentProblem>, Readonly<{ passkey: Passkey; name: string }>> =>
  combine({
    passkey: pipe(
      required<PasskeyEnrolmentProblem>('CredentialMissing')(credential),
      chain(
        (): Either<NonEmptyArray<PasskeyEnrolmentProblem>, Passkey> =>
          passkey._tag === 'Left' ? left([passkey.left]) : right(passkey.right),
      ),
    ),
    name: validateFactorName(isPresent(name) ? name : DEFAULT_PASSKEY_NAME),
  })

export const DEFAULT_PASSKEY_NAME = 'Passkey'
