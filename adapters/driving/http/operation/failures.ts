import type { InvalidClient } from '../../../../application/authenticate-application.ts'
import type { ScopeNotHeld } from '../../../../application/issue-application-token.ts'
import type { PasswordCheckUnavailable } from '../../../../application/ports/failures.ts'
import type { HashingRefused } from '../../../../application/ports/password-hasher.ts'
import type { StoreUnavailable } from '../../../../application/ports/store.ts'
import type { InvalidToken, KeyUnusable } from '../../../../application/ports/token-format.ts'
import type { Throttled } from '../../../../application/throttling/throttle.ts'
import type { InsufficientScope } from '../../../../domain/access.ts'
import type { NoToken } from '../request/bearer.ts'
import type { BodyRefused } from '../request/body.ts'
import type { MalformedRequest } from '../request/malformed.ts'
import { type ErrorAnswer, failed } from './answer.ts'

/** The service is about to stop. */
export type Draining = Readonly<{ _tag: 'Draining' }>

/** `grant_type` names another grant than the one there is. */
export type UnsupportedGrantType = Readonly<{ _tag: 'UnsupportedGrantType' }>

/** Everything that can go wrong with a request, besides the values of its fields. */
export type Failure =
  | MalformedRequest
  | NoToken
  | InvalidToken
  | InsufficientScope
  | InvalidClient
  | ScopeNotHeld
  | BodyRefused
  | Throttled
  | HashingRefused
  | PasswordCheckUnavailable
  | KeyUnusable
  | StoreUnavailable
  | Draining
  | UnsupportedGrantType

/** The one place where failures get their status (interface §1, RFC 6750 §3.1, RFC 9110 §15). */
export const answerTo = (failure: Failure): ErrorAnswer => {
  switch (failure._tag) {
    case 'MalformedRequest':
      return failed(400, failure.message)
    case 'NoToken':
      return failed(401, 'This needs a token: Authorization: Bearer <token>.', challenge())
    case 'InvalidToken':
      return failed(
        401,
        'The token is not valid here, or not any more. Get a new one.',
        challenge('error="invalid_token"', 'error_description="The token is not valid"'),
      )
    case 'InsufficientScope':
      return failed(
        403,
        failure.required.kind === 'user'
          ? 'This needs a user token.'
          : `This needs an application token with the scope ${failure.required.scope}.`,
        challenge(
          'error="insufficient_scope"',
          ...(failure.required.kind === 'user' ? [] : [`scope="${failure.required.scope}"`]),
        ),
      )
    case 'InvalidClient':
      return failed(401, 'The API keys are not a live pair.', challenge())
    case 'ScopeNotHeld':
      return failed(400, 'The application does not have all of this scope.')
    case 'BodyTooLarge':
      return failed(413, `The body is larger than ${failure.maxBytes} bytes.`)
    case 'UnsupportedBody':
      return failed(415, failure.message, { Accept: failure.accept })
    case 'Throttled':
      return failed(429, 'Too much has failed. Try again after as many seconds as Retry-After says.', {
        'Retry-After': String(failure.retryAfterSeconds),
      })
    case 'Overloaded':
      return unavailable(
        'The service has more to do than it can do in time.',
        failure.retryAfterSeconds,
        failure._tag,
      )
    case 'Abandoned':
      return { ...unavailable('The request was given up.', 1, failure._tag), isAbandoned: true }
    case 'PasswordCheckUnavailable':
      return unavailable('Passwords cannot be judged now.', RETRY_AFTER_SECONDS, failure.reason)
    case 'KeyUnusable':
      return unavailable(
        'The service cannot sign tokens now.',
        RETRY_AFTER_SECONDS,
        `key ${failure.kid} is unusable`,
      )
    case 'UnsupportedGrantType':
      return failed(400, 'The only grant_type there is is client_credentials.')
    case 'Draining':
      return failed(503, 'The service is about to stop.', { 'Retry-After': String(RETRY_AFTER_SECONDS) })
    case 'StoreUnavailable':
      return unavailable(
        failure.outcome === 'unknown'
          ? 'The store failed as it was written. The change was made whole or not at all; look before you try again.'
          : 'The store is not available now.',
        RETRY_AFTER_SECONDS,
        failure.reason,
      )
  }
}

/** The same request may pass after that many seconds. */
const unavailable = (message: string, retryAfterSeconds: number, cause: string): ErrorAnswer => ({
  ...failed(503, message, { 'Retry-After': String(retryAfterSeconds) }),
  cause,
})

/** Long enough for a lock or a full disk to be noticed, short enough that nobody waits in vain. */
const RETRY_AFTER_SECONDS = 5

const challenge = (...attributes: ReadonlyArray<string>) => ({
  'WWW-Authenticate': `Bearer ${['realm="portcullis"', ...attributes].join(', ')}`,
})
