import type { InvalidClient } from '../../../application/applications/authenticate-application.ts'
import type { NoScopes, ScopeNotHeld } from '../../../application/applications/issue-application-token.ts'
import type { PasskeysOff } from '../../../application/factors/passkey-ceremony.ts'
import type { BundlePruned } from '../../../application/log/published-log.ts'
import type { EntriesPruned } from '../../../application/log/read-feed.ts'
import type { BeyondEnd } from '../../../application/log/read-log.ts'
import type { PasswordCheckUnavailable } from '../../../application/ports/failures.ts'
import type { ProviderUnavailable } from '../../../application/ports/identity-provider.ts'
import type { HashingRefused } from '../../../application/ports/password-hasher.ts'
import type { StoreUnavailable } from '../../../application/ports/store.ts'
import type { InvalidToken, KeyUnusable } from '../../../application/ports/token-format.ts'
import type { Throttled } from '../../../application/throttling/throttle.ts'
import type { TooManyTokens } from '../../../application/throttling/token-limit.ts'
import type { InsufficientAuthentication, InsufficientScope } from '../../../domain/access.ts'
import { logCursorText, type OtherEpoch } from '../../../domain/log-cursor.ts'
import type { BodyFailure } from '../request/body.ts'
import type { MalformedRequest, NoToken } from '../request/request.ts'
import { type ErrorResponse, errorResponse, type Outcome } from './response.ts'
import { UNKNOWN_PATH } from './server-errors.ts'

/** The server is stopping. */
export type Draining = Readonly<{ _tag: 'Draining' }>

/** `grant_type` names an unsupported grant. */
export type UnsupportedGrantType = Readonly<{
  _tag: 'UnsupportedGrantType'
  supported: ReadonlyArray<string>
}>

/** The OpenID provider refuses the request of a client (RFC 6749 §5.2, RFC 9126 §2.3). */
export type ClientRefused = Readonly<{
  _tag: 'ClientRefused'
  error: (typeof CLIENT_ERRORS)[number]
  message: string
}>

export const CLIENT_ERRORS = [
  'invalid_grant',
  'invalid_request',
  'invalid_scope',
  'unauthorized_client',
  'invalid_request_uri',
] as const

/** The token is valid, but no client of the OpenID provider got it with the scope `openid`. */
export type NotOfOpenId = Readonly<{ _tag: 'NotOfOpenId' }>

/** The path has the prefix of a route, and names nothing. */
export type UnknownPath = Readonly<{ _tag: 'UnknownPath' }>

/** The published log does not contain the tile. */
export type UnknownTile = Readonly<{ _tag: 'UnknownTile' }>

/** There is no checkpoint: no key signs one, or the first one is not made yet. */
export type NoCheckpoint = Readonly<{ _tag: 'NoCheckpoint'; hasLogKey: boolean }>

/** The store does not keep the tree of the log. */
export type LogNotVerifiable = Readonly<{ _tag: 'LogNotVerifiable' }>

/** Every failure of a request, except problems with its fields. */
export type Failure =
  | MalformedRequest
  | NoToken
  | InvalidToken
  | InsufficientScope
  | InsufficientAuthentication
  | InvalidClient
  | ScopeNotHeld
  | NoScopes
  | BodyFailure
  | Throttled
  | TooManyTokens
  | HashingRefused
  | PasswordCheckUnavailable
  | KeyUnusable
  | StoreUnavailable
  | Draining
  | OtherEpoch
  | BeyondEnd
  | EntriesPruned
  | UnsupportedGrantType
  | ClientRefused
  | NotOfOpenId
  | UnknownPath
  | UnknownTile
  | BundlePruned
  | NoCheckpoint
  | LogNotVerifiable
  | PasskeysOff
  | ProviderUnavailable

export type FailureKind = Failure['_tag']
export type FailureOf<Kind extends FailureKind> = Extract<Failure, { _tag: Kind }>

/** The response to a failure. Only this function gives failures a status (docs/contract.md §1.5 and §1.12, RFC 6750 §3.1, RFC 9470 §3). */
export const errorResponseTo = (failure: Failure): ErrorResponse => {
  switch (failure._tag) {
    case 'MalformedRequest':
      return errorResponse(400, failure.message)
    case 'NoToken':
      return errorResponse(
        401,
        'This operation requires a token. Send the header Authorization: Bearer <token>.',
        challenge(),
      )
    case 'InvalidToken':
      return errorResponse(
        401,
        'The token is invalid, expired or revoked. Get a new one.',
        challenge('error="invalid_token"', 'error_description="The token is not valid"'),
      )
    case 'InsufficientScope':
      return errorResponse(
        403,
        failure.required.kind === 'user'
          ? 'This operation requires a user token.'
          : `This operation requires an application token with the scope ${failure.required.scope}.`,
        challenge(
          'error="insufficient_scope"',
          ...(failure.required.kind === 'user' ? [] : [`scope="${failure.required.scope}"`]),
        ),
      )
    case 'InsufficientAuthentication':
      return errorResponse(
        401,
        `This operation requires a proof of the user from the last ${failure.maxAgeSeconds} seconds. ${failure.canStepUp ? STEP_UP : NOTHING_TO_PROVE}`,
        challenge(
          'error="insufficient_user_authentication"',
          `max_age=${failure.maxAgeSeconds}`,
          ...(failure.acr === 'aal1' ? [] : [`acr_values="${failure.acr}"`]),
        ),
      )
    case 'InvalidClient':
      return errorResponse(401, 'Invalid API keys.', challenge())
    case 'ScopeNotHeld':
      return errorResponse(400, 'The application does not have every requested scope.')
    case 'NoScopes':
      return errorResponse(400, 'The application has no scopes, so it gets no token.')
    case 'BodyTooLarge':
      return errorResponse(413, `The body is larger than ${failure.maxBytes} bytes.`)
    case 'UnsupportedBody':
      return errorResponse(415, failure.message, { Accept: failure.accept })
    case 'Throttled':
      return errorResponse(
        429,
        failure.untilCleared
          ? UNTIL_CLEARED
          : `Too many ${TOO_MANY[failure.tooMany ?? 'failures']}. Try again after the number of seconds in Retry-After.`,
        { 'Retry-After': String(failure.retryAfterSeconds) },
      )
    case 'TooManyTokens':
      return errorResponse(
        429,
        'Too many tokens for this application. Use each token until it expires. Try again after the number of seconds in Retry-After.',
        { 'Retry-After': String(failure.retryAfterSeconds) },
      )
    case 'Overloaded':
      return unavailable(
        'The server is overloaded. Try again later.',
        failure.retryAfterSeconds,
        failure._tag,
      )
    case 'Abandoned':
      return {
        ...unavailable('The client seemed to have disconnected. Nothing was changed.', 1, failure._tag),
        isAbandoned: true,
      }
    case 'PasswordCheckUnavailable':
      return unavailable('The server cannot check passwords now.', RETRY_AFTER_SECONDS, failure.reason)
    case 'KeyUnusable':
      return unavailable(
        'The server cannot use one of its keys now.',
        RETRY_AFTER_SECONDS,
        `key ${failure.kid} is unusable`,
      )
    case 'UnsupportedGrantType':
      return errorResponse(400, `grant_type must be ${failure.supported.join(' or ')}.`)
    case 'ClientRefused':
      return errorResponse(400, failure.message)
    case 'NotOfOpenId':
      return errorResponse(
        403,
        'This operation requires a token that a client got with the scope openid.',
        challenge('error="insufficient_scope"', 'scope="openid"'),
      )
    case 'UnknownPath':
      return UNKNOWN_PATH
    case 'UnknownTile':
      return errorResponse(
        404,
        'The published log does not contain this tile. The checkpoint says how many entries it has.',
      )
    case 'BundlePruned':
      return errorResponse(
        410,
        `Entries up to position ${failure.through} were pruned, and this bundle contains one of them. Only an exported log has it.`,
      )
    case 'NoCheckpoint':
      return errorResponse(
        404,
        failure.hasLogKey
          ? 'There is no checkpoint yet. Try again later.'
          : 'There is no checkpoint, because no key signs it. Set EVENT_LOG_KEY for the server.',
      )
    case 'LogNotVerifiable':
      return errorResponse(404, 'The history of this store is not verifiable: it does not implement LogTree.')
    case 'PasskeysOff':
      return errorResponse(
        404,
        'This application has no passkeys. To permit them, run: portcullis application set-passkey-origins ID URL',
      )
    case 'ProviderUnavailable':
      return unavailable(
        'The identity provider does not answer now. Try again later.',
        RETRY_AFTER_SECONDS,
        failure._tag,
      )
    case 'Draining':
      return unavailable('The server is stopping.', RETRY_AFTER_SECONDS)
    case 'OtherEpoch': {
      const { epoch, shared } = failure
      const sharedCursor =
        shared === undefined
          ? ''
          : `, or after the last shared position: ${logCursorText({ epoch, position: shared })}`
      return errorResponse(
        410,
        `The log was restored or renewed, and its epoch is now ${epoch}. Positions may refer to other events. Read from the beginning, without after${sharedCursor}.`,
      )
    }
    case 'BeyondEnd':
      return errorResponse(
        410,
        'The log ends before this position, so the store was restored from a copy. Read from the beginning, without after.',
      )
    case 'EntriesPruned':
      return errorResponse(
        410,
        `Entries up to position ${failure.through} were pruned. Read the others without after.`,
      )
    case 'StoreUnavailable':
      return unavailable(
        failure.outcome === 'unknown'
          ? 'The store failed during a write, and the outcome is unknown. The change was made completely or not at all. Check before you repeat the request.'
          : 'The store is not available now.',
        RETRY_AFTER_SECONDS,
        failure.reason,
        failure.outcome,
      )
  }
}

/** Every 503 with the envelope. Only a commit can have an unknown outcome (docs/contract.md §1.10). */
const unavailable = (
  message: string,
  retryAfterSeconds: number,
  cause?: string,
  outcome: Outcome = 'none',
): ErrorResponse => {
  const { body, ...response } = errorResponse(503, message, { 'Retry-After': String(retryAfterSeconds) })
  return { ...response, body: { ...body, outcome }, ...(cause === undefined ? {} : { cause }) }
}

/** Enough time to release a lock or to react to a full disk. */
const RETRY_AFTER_SECONDS = 5

const challenge = (...attributes: ReadonlyArray<string>) => ({
  'WWW-Authenticate': `Bearer ${['realm="portcullis"', ...attributes].join(', ')}`,
})

/** No time ends this refusal. */
const UNTIL_CLEARED =
  'Too many wrong codes of the authenticator app. Its codes are refused until the user proves another factor or recovers the password.'

/** What a user can do who must be authenticated again. */
const STEP_UP = 'Let the user step up or sign in again.'
const NOTHING_TO_PROVE =
  'This account has neither a password nor a second factor. Let the user sign in again and enrol a second factor, or recover the account to set a password.'

/** What a 429 says that it counted. */
const TOO_MANY: Readonly<Record<NonNullable<Throttled['tooMany']> | 'failures', string>> = {
  failures: 'failures',
  registrations: 'users were registered from the network of this end user',
  recoveries: 'recoveries were started',
  factor_resets: 'resets of second factors were made',
  vouched: 'sign-ins were vouched for by this application',
  vouched_of_user: 'sign-ins of this user were vouched for by this application',
  mails_to_email: 'mails were requested for this e-mail',
  mails: 'mails were requested',
  mails_of_user: 'mails to e-mails of this user were requested',
  sign_ins: 'sign-ins of this user',
  factor_changes: 'changes of second factors were made',
  identity_answers: 'answers of identity providers were sent in this session',
  attribute_changes: 'changes of attributes were made',
  password_changes: 'changes of the password were made',
  ended_sessions: 'times all other sessions were ended',
  recoveries_in_network: 'recoveries were started from the network of this end user',
  recoveries_from_network: 'failures or recoveries from the network of this end user',
}
