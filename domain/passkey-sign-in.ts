import { type Either, left, right } from 'fp-ts/lib/Either.js'
import type { NonEmptyArray } from 'fp-ts/lib/NonEmptyArray.js'
import { type Field, isPresent } from './field.ts'

/** The problems behind the codes of a sign-in with a passkey alone. Of all causes of a refusal the caller learns one. */
export type PasskeySignInProblem = 'CredentialMissing' | 'PasskeyRefused'

/** Returns the credential, or its problem. */
export const validatePasskeySignIn = (
  credential: Field,
): Either<NonEmptyArray<PasskeySignInProblem>, string> =>
  isPresent(credential) ? right(credential) : left(['CredentialMissing'])
