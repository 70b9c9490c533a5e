import { ACCESS } from '../../../../domain/access.ts'
import type { Answer } from '../operation/answer.ts'
import { answerTo, type Failure } from '../operation/failures.ts'
import type { About } from '../operation/operation.ts'
import { MAX_BODY_BYTES, notOfType } from '../request/body.ts'
import { malformed } from '../request/malformed.ts'

type Tag = Failure['_tag']

/** What there is to say of a failure, and how it is answered: by the very function that answers it. */
export const failureOf = (tag: Tag, about: About): Readonly<{ summary: string; answer: Answer }> => {
  const { summary, failure } = FAILURES[tag](about)
  return { summary, answer: (about.refuse ?? answerTo)(failure) }
}

const FAILURES: {
  readonly [T in Tag]: (about: About) => Readonly<{ summary: string; failure: Extract<Failure, { _tag: T }> }>
} = {
  MalformedRequest: ({ body }) => ({
    summary: wrongBody(body?.type),
    failure: malformed(unreadable(body?.type)),
  }),
  NoToken: () => ({ summary: 'There is no token', failure: { _tag: 'NoToken' } }),
  InvalidToken: () => ({
    summary: 'The token is malformed, forged, expired or revoked, or its user or application is gone',
    failure: { _tag: 'InvalidToken' },
  }),
  InsufficientScope: ({ access = 'getProfile' }) => ({
    summary: 'The token is good, but of the other kind, or without the scope',
    failure: { _tag: 'InsufficientScope', required: ACCESS[access] },
  }),
  InvalidClient: () => ({ summary: 'The keys are not a live pair', failure: { _tag: 'InvalidClient' } }),
  BodyTooLarge: () => ({
    summary: 'The body is too large',
    failure: { _tag: 'BodyTooLarge', maxBytes: MAX_BODY_BYTES },
  }),
  UnsupportedBody: ({ body }) => ({
    summary: 'The body is of another type, in another charset, or encoded',
    failure: notOfType(body?.type ?? ''),
  }),
  Throttled: () => ({
    summary: 'Too much has failed lately',
    failure: { _tag: 'Throttled', retryAfterSeconds: 30 },
  }),
  Overloaded: () => ({
    summary: 'There is more to do than can be done in time',
    failure: { _tag: 'Overloaded', retryAfterSeconds: 1 },
  }),
  Abandoned: () => ({ summary: 'Nobody seemed to wait any more', failure: { _tag: 'Abandoned' } }),
  PasswordCheckUnavailable: () => ({
    summary: 'What judges passwords is away',
    failure: { _tag: 'PasswordCheckUnavailable', reason: '' },
  }),
  KeyUnusable: () => ({ summary: 'A signing key cannot be used', failure: { _tag: 'KeyUnusable', kid: '' } }),
  StoreUnavailable: () => ({
    summary: 'The store cannot be read or written',
    failure: { _tag: 'StoreUnavailable', reason: '' },
  }),
  ScopeNotHeld: () => ({
    summary: 'The scope is none of the application',
    failure: { _tag: 'ScopeNotHeld' },
  }),
  UnsupportedGrantType: () => ({
    summary: 'The grant_type is another than the one there is',
    failure: { _tag: 'UnsupportedGrantType' },
  }),
  Draining: () => ({ summary: 'The process is about to stop', failure: { _tag: 'Draining' } }),
}

const unreadable = (type: string | undefined): string => {
  if (type === undefined) return 'The body is not as long as it says.'
  return `The body is no valid ${type === 'application/json' ? 'JSON' : 'form'} in UTF-8.`
}

const wrongBody = (type: string | undefined): string => {
  if (type === undefined) return 'The body is not as long as it says'
  return type === 'application/json'
    ? 'The body cannot be read'
    : 'The body cannot be read, or a parameter of it is missing, comes twice or contradicts another'
}
