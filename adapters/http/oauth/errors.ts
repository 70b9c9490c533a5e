import type { InvalidClient } from '../../../application/applications/authenticate-application.ts'
import type { ApplicationTokenProblem } from '../../../domain/application-token.ts'
import type { Invalid } from '../../../domain/field.ts'
import { type ClientRefused, errorResponseTo, type Failure } from '../operation/failures.ts'
import { type ErrorResponse, errorResponse, type HttpResponse } from '../operation/response.ts'

/** The codes of RFC 6749 (§4.1.2.1, §5.2), RFC 9126, RFC 6750 (§3.1) and RFC 9470 (§3) that these routes use. */
export type ErrorCode =
  | 'invalid_request'
  | 'invalid_client'
  | 'invalid_scope'
  | 'unsupported_grant_type'
  | ClientRefused['error']
  | 'invalid_token'
  | 'insufficient_scope'
  | 'insufficient_user_authentication'
  | 'temporarily_unavailable'

/** The challenges for a client without valid credentials, one for each scheme. */
export const BASIC = 'Basic realm="portcullis"'
export const BEARER_OR_BASIC = `Bearer realm="portcullis", ${BASIC}` as const

const MESSAGES = {
  [BASIC]: 'This operation requires valid API keys as client_id and client_secret.',
  [BEARER_OR_BASIC]:
    'This operation requires an application token (Authorization: Bearer <token>), or valid API keys as client_id and client_secret.',
} as const

/**
 * Error responses for OAuth clients: the envelope of the API, and the members of RFC 6749 §5.2 in the same object. Missing, unknown
 * and wrong keys get the same bytes.
 *
 * @param challenge for a client without valid credentials
 */
export const oauthErrors =
  (challenge: typeof BASIC | typeof BEARER_OR_BASIC) =>
  (failure: Failure): HttpResponse =>
    failure._tag === 'NoToken' || failure._tag === 'InvalidClient'
      ? withError(
          'invalid_client',
          errorResponse(401, MESSAGES[challenge], {
            'WWW-Authenticate': challenge,
          }),
        )
      : withError(
          failure._tag === 'ClientRefused' ? failure.error : CODES[failure._tag],
          errorResponseTo(failure),
        )

/** Turns missing keys into invalid keys. */
export const toInvalidClient = <E extends Readonly<{ _tag: string }>>(
  failure: E | Invalid<ApplicationTokenProblem>,
): Exclude<E, Invalid<unknown>> | InvalidClient =>
  failure._tag === 'Invalid' ? { _tag: 'InvalidClient' } : (failure as Exclude<E, Invalid<unknown>>)

/**
 * The code of each failure. RFC 6749 registers no code for 429 and 503. `temporarily_unavailable` (§4.1.2.1) has the right meaning: the
 * same request may succeed later. The other codes blame the request or the client, and `slow_down` (RFC 8628) is for polling.
 */
const CODES: Readonly<
  Record<Exclude<Failure['_tag'], 'NoToken' | 'InvalidClient' | 'ClientRefused'>, ErrorCode>
> = {
  MalformedRequest: 'invalid_request',
  BodyTooLarge: 'invalid_request',
  UnsupportedBody: 'invalid_request',
  UnknownPath: 'invalid_request',
  UnknownTile: 'invalid_request',
  BundlePruned: 'invalid_request',
  NoCheckpoint: 'invalid_request',
  LogNotVerifiable: 'invalid_request',
  PasskeysOff: 'invalid_request',
  ProviderUnavailable: 'temporarily_unavailable',
  OtherEpoch: 'invalid_request',
  BeyondEnd: 'invalid_request',
  EntriesPruned: 'invalid_request',
  ScopeNotHeld: 'invalid_scope',
  NoScopes: 'invalid_scope',
  InvalidToken: 'invalid_token',
  InsufficientScope: 'insufficient_scope',
  NotOfOpenId: 'insufficient_scope',
  InsufficientAuthentication: 'insufficient_user_authentication',
  UnsupportedGrantType: 'unsupported_grant_type',
  Throttled: 'temporarily_unavailable',
  TooManyTokens: 'temporarily_unavailable',
  Overloaded: 'temporarily_unavailable',
  Abandoned: 'temporarily_unavailable',
  PasswordCheckUnavailable: 'temporarily_unavailable',
  KeyUnusable: 'temporarily_unavailable',
  StoreUnavailable: 'temporarily_unavailable',
  Draining: 'temporarily_unavailable',
}

const withError = (error: ErrorCode, response: ErrorResponse): HttpResponse => ({
  ...response,
  body: { ...response.body, error, error_description: response.body.message },
})
