import { FRESH_SECONDS } from '../../../domain/assurance.ts'
import { CLIENT_ERRORS, errorResponseTo, type Failure } from '../operation/failures.ts'
import type { OperationSpec } from '../operation/operation.ts'
import type { HttpResponse } from '../operation/response.ts'
import { MAX_BODY_BYTES, notOfType } from '../request/body.ts'
import { UNREADABLE_QUERY } from '../request/form.ts'
import { malformed } from '../request/request.ts'

type Kind = Failure['_tag']

/** A failure as a possible response: a summary, and the response that the operation itself would send. */
export type PossibleError = Readonly<{ summary: string; response: HttpResponse }>

export const possibleErrors = (kind: Kind, spec: OperationSpec): ReadonlyArray<PossibleError> => {
  const { toErrorResponse = errorResponseTo } = spec
  const possible: ReadonlyArray<Possible<Kind>> = [FAILURES[kind](spec)].flat()
  return possible.map(({ summary, failure }) => ({ summary, response: toErrorResponse(failure) }))
}

type Possible<K extends Kind> = Readonly<{ summary: string; failure: Extract<Failure, { _tag: K }> }>

const FAILURES: {
  readonly [K in Kind]: (spec: OperationSpec) => Possible<K> | ReadonlyArray<Possible<K>>
} = {
  MalformedRequest: ({ body, query, requestHeaders = [] }) => ({
    summary: [
      wrongBody(body?.type),
      ...(query === undefined ? [] : ['the query cannot be read or repeats a parameter']),
      ...requestHeaders.map((name) => `${name} is malformed`),
    ].join(', or '),
    failure: query === undefined ? malformed(unreadable(body?.type)) : UNREADABLE_QUERY,
  }),
  NoToken: () => ({ summary: 'The request has no token', failure: { _tag: 'NoToken' } }),
  InvalidToken: () => ({
    summary: 'The token is malformed, forged, expired or revoked, or its user or application is gone',
    failure: { _tag: 'InvalidToken' },
  }),
  InsufficientScope: ({ access: { required = { kind: 'user' } } }) => ({
    summary: 'The token is valid, but of the wrong kind or without the scope',
    failure: { _tag: 'InsufficientScope', required },
  }),
  InsufficientAuthentication: () => [
    {
      summary: 'The user was authenticated too long ago',
      failure: {
        _tag: 'InsufficientAuthentication',
        maxAgeSeconds: FRESH_SECONDS,
        acr: 'aal1',
        canStepUp: true,
      },
    },
    {
      summary: 'A user with a second factor was authenticated too long ago',
      failure: {
        _tag: 'InsufficientAuthentication',
        maxAgeSeconds: FRESH_SECONDS,
        acr: 'aal2',
        canStepUp: true,
      },
    },
    {
      summary:
        'The user has neither a password nor a second factor, and an application vouched for the sign-in',
      failure: {
        _tag: 'InsufficientAuthentication',
        maxAgeSeconds: FRESH_SECONDS,
        acr: 'aal1',
        canStepUp: false,
      },
    },
  ],
  InvalidClient: () => ({ summary: 'The API keys are invalid', failure: { _tag: 'InvalidClient' } }),
  BodyTooLarge: () => ({
    summary: 'The body is too large',
    failure: { _tag: 'BodyTooLarge', maxBytes: MAX_BODY_BYTES },
  }),
  UnsupportedBody: ({ body }) => ({
    summary: 'The body has another media type or charset, or a Content-Encoding',
    failure: notOfType(body?.type ?? ''),
  }),
  Throttled: () => ({
    summary: 'Too many recent failures, registrations, or starts of recoveries or confirmations',
    failure: { _tag: 'Throttled', retryAfterSeconds: 30 },
  }),
  TooManyTokens: () => ({
    summary: 'Too many tokens for this application',
    failure: { _tag: 'TooManyTokens', retryAfterSeconds: 30 },
  }),
  Overloaded: () => ({
    summary: 'The server is overloaded',
    failure: { _tag: 'Overloaded', retryAfterSeconds: 1 },
  }),
  Abandoned: () => ({ summary: 'The client seemed to have disconnected', failure: { _tag: 'Abandoned' } }),
  PasswordCheckUnavailable: () => ({
    summary: 'The server cannot check passwords',
    failure: { _tag: 'PasswordCheckUnavailable', reason: '' },
  }),
  KeyUnusable: () => ({
    summary: 'A key of the server is unusable',
    failure: { _tag: 'KeyUnusable', kid: '' },
  }),
  StoreUnavailable: () => ({
    summary: 'The store cannot be read or written, or the server has no answer in time',
    failure: { _tag: 'StoreUnavailable', reason: '' },
  }),
  ScopeNotHeld: () => ({
    summary: 'The application does not have the scope',
    failure: { _tag: 'ScopeNotHeld' },
  }),
  NoScopes: () => ({
    summary: 'The application has no scopes',
    failure: { _tag: 'NoScopes' },
  }),
  UnsupportedGrantType: ({ body }) => ({
    summary: 'The grant_type is not supported',
    failure: { _tag: 'UnsupportedGrantType', supported: Object(body?.schema.properties?.grant_type).enum },
  }),
  ClientRefused: () =>
    CLIENT_ERRORS.map((error) => ({
      summary: `The provider refuses the request: ${error}`,
      failure: { _tag: 'ClientRefused', error, message: 'Grant request is invalid.' },
    })),
  NotOfOpenId: () => ({
    summary: 'No client got the token with the scope openid',
    failure: { _tag: 'NotOfOpenId' },
  }),
  UnknownPath: () => ({ summary: 'The path names no tile', failure: { _tag: 'UnknownPath' } }),
  UnknownTile: () => ({
    summary: 'The published log does not contain the tile',
    failure: { _tag: 'UnknownTile' },
  }),
  BundlePruned: () => ({
    summary: 'An entry of the bundle was pruned',
    failure: { _tag: 'BundlePruned', through: 1200 },
  }),
  NoCheckpoint: () => ({
    summary: 'There is no checkpoint',
    failure: { _tag: 'NoCheckpoint', hasLogKey: false },
  }),
  LogNotVerifiable: () => ({
    summary: 'The history of the store is not verifiable',
    failure: { _tag: 'LogNotVerifiable' },
  }),
  PasskeysOff: () => ({
    summary: 'The application has no origins of passkeys',
    failure: { _tag: 'PasskeysOff' },
  }),
  ProviderUnavailable: () => ({
    summary: 'The identity provider does not answer in time',
    failure: { _tag: 'ProviderUnavailable' },
  }),
  OtherEpoch: () => ({
    summary: 'The cursor has another epoch, and an entry before it may have been lost',
    failure: { _tag: 'OtherEpoch', epoch: '9c0b7de4', shared: 1200 },
  }),
  BeyondEnd: () => ({ summary: 'The log ends before the cursor', failure: { _tag: 'BeyondEnd' } }),
  EntriesPruned: () => ({
    summary: 'Entries behind the cursor were pruned',
    failure: { _tag: 'EntriesPruned', through: 1200 },
  }),
  Draining: () => ({ summary: 'The server is stopping', failure: { _tag: 'Draining' } }),
}

const unreadable = (type: string | undefined): string => {
  if (type === undefined) return 'The length of the body does not match Content-Length.'
  return `The body is not ${type === 'application/json' ? 'valid JSON' : 'a valid form'} in UTF-8.`
}

const wrongBody = (type: string | undefined): string => {
  if (type === undefined) return 'The length of the body does not match Content-Length'
  return type === 'application/json'
    ? 'The body cannot be read'
    : 'The body cannot be read, or a parameter is missing, repeated or contradicts another'
}
