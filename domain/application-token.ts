import type { Either } from 'fp-ts/lib/Either.js'
import type { NonEmptyArray } from 'fp-ts/lib/NonEmptyArray.js'
import { type Field, required, together } from './field.ts'

/** Seed §7.1, codes 1 and 2. */
export type ApplicationTokenProblem = 'PublicApiKeyMissing' | 'PrivateApiKeyMissing'

export type ApplicationTokenRequest = Readonly<{ publicApiKey: Field; privateApiKey: Field }>

const judged = together<ApplicationTokenProblem>()

/** Whether both keys are there. Whether they are a live pair is a matter of authentication, not of validation. */
export const validateApplicationTokenRequest = (
  request: ApplicationTokenRequest,
): Either<NonEmptyArray<ApplicationTokenProblem>, { publicApiKey: string; privateApiKey: string }> =>
  judged({
    publicApiKey: required<ApplicationTokenProblem>('PublicApiKeyMissing')(request.publicApiKey),
    privateApiKey: required<ApplicationTokenProblem>('PrivateApiKeyMissing')(request.privateApiKey),
  })
