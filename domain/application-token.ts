import type { Either } from 'fp-ts/lib/Either.js'
import type { NonEmptyArray } from 'fp-ts/lib/NonEmptyArray.js'
import { combineFields, type Field, required } from './field.ts'

/** Codes 1 and 2 of docs/contract.md §3. */
export type ApplicationTokenProblem = 'PublicApiKeyMissing' | 'PrivateApiKeyMissing'

export type ApplicationTokenRequest = Readonly<{ publicApiKey: Field; privateApiKey: Field }>

const combine = combineFields<ApplicationTokenProblem>()

/** Returns both keys, or the ones that are missing. Authentication decides later whether they are valid. */
export const validateApplicationTokenRequest = (
  request: ApplicationTokenRequest,
): Either<NonEmptyArray<ApplicationTokenProblem>, { publicApiKey: string; privateApiKey: string }> =>
  combine({
    publicApiKey: required<ApplicationTokenProblem>('PublicApiKeyMissing')(request.publicApiKey),
    privateApiKey: required<ApplicationTokenProblem>('PrivateApiKeyMissing')(request.privateApiKey),
  })
