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

/** The problems of a sign-in that may have a label, as a page has none. */
export type LabelledPasskeySignInProblem = PasskeySignInProblem | 'LabelMalformed'

/** Returns the problems of a request with a malformed label. Its credential is not judged, so that no passkey is used up. */
export const malformedLabelProblems = (credential: Field): NonEmptyArray<LabelledPasskeySignInProblem> =>
  isPresent(credential) ? ['LabelMalformed'] : ['CredentialMissing', 'LabelMalformed']
