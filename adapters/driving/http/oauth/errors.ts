import type { InvalidClient } from '../../../../application/authenticate-application.ts'
import type { Invalid } from '../../../../application/invalid.ts'
import type { ApplicationTokenProblem } from '../../../../domain/application-token.ts'
import { type Answer, type ErrorAnswer, failed } from '../operation/answer.ts'
import { answerTo, type Failure } from '../operation/failures.ts'

/** What RFC 6749 (§4.1.2.1, §5.2) and RFC 6750 (§3.1) have registered, as far as it happens here. */
export type ErrorCode =
  | 'invalid_request'
  | 'invalid_client'
  | 'invalid_scope'
  | 'unsupported_grant_type'
  | 'invalid_token'
  | 'insufficient_scope'
  | 'temporarily_unavailable'

/** What a client that does not prove who it is may do: one challenge for each way. */
export const BASIC = 'Basic realm="portcullis"'
export const BEARER_OR_BASIC = `Bearer realm="portcullis", ${BASIC}` as const

/** What such a client is told that it needs. */
const NEEDED = {
  [BASIC]: 'This needs a live pair of API keys as client_id and client_secret.',
  [BEARER_OR_BASIC]:
    'This needs an application token (Authorization: Bearer <token>), or a live pair of API keys as client_id and client_secret.',
} as const

/**
 * What a face of OAuth answers: the one envelope, and in the same object what OAuth clients look for (RFC 6749 §5.2). Either
 * kind of client ignores what it does not know.
 *
 * Keys that are missing, unknown or wrong are answered with the same bytes.
 *
 * @param challenge for a client that does not prove who it is
 */
export const refusing =
  (challenge: typeof BASIC | typeof BEARER_OR_BASIC) =>
  (failure: Failure): Answer =>
    failure._tag === 'NoToken' || failure._tag === 'InvalidClient'
      ? withError(
          'invalid_client',
          failed(401, NEEDED[challenge], {
            'WWW-Authenticate': challenge,
          }),
        )
      : withError(CODES[failure._tag], answerTo(failure))

/** Keys that are missing are no live pair either. */
export const orNoLivePair = <E extends Readonly<{ _tag: string }>>(
  failure: E | Invalid<ApplicationTokenProblem>,
): Exclude<E, Invalid<unknown>> | InvalidClient =>
  failure._tag === 'Invalid' ? { _tag: 'InvalidClient' } : (failure as Exclude<E, Invalid<unknown>>)

/**
 * The code of each failure. Nothing is registered for 429 and 503 where a status can be sent, but `temporarily_unavailable`
 * says just that where it cannot (§4.1.2.1): the same request may pass later. Every other code would blame the request or the
 * client, and `slow_down` (RFC 8628) is for those who were told to ask again and again.
 */
const CODES: Readonly<Record<Exclude<Failure['_tag'], 'NoToken' | 'InvalidClient'>, ErrorCode>> = {
  MalformedRequest: 'invalid_request',
  BodyTooLarge: 'invalid_request',
  UnsupportedBody: 'invalid_request',
  ScopeNotHeld: 'invalid_scope',
  InvalidToken: 'invalid_token',
  InsufficientScope: 'insufficient_scope',
  UnsupportedGrantType: 'unsupported_grant_type',
  Throttled: 'temporarily_unavailable',
  Overloaded: 'temporarily_unavailable',
  Abandoned: 'temporarily_unavailable',
  PasswordCheckUnavailable: 'temporarily_unavailable',
  KeyUnusable: 'temporarily_unavailable',
  StoreUnavailable: 'temporarily_unavailable',
  Draining: 'temporarily_unavailable',
}

const withError = (error: ErrorCode, refusal: ErrorAnswer): Answer => ({
  ...refusal,
  body: { ...refusal.body, error, error_description: refusal.body.message },
})
