import * as E from 'fp-ts/lib/Either.js'
import { pipe } from 'fp-ts/lib/function.js'
import type { NonEmptyArray } from 'fp-ts/lib/NonEmptyArray.js'
import { isNone, isSome, none, type Option, some } from 'fp-ts/lib/Option.js'
import type { AssuranceLevel } from './assurance.ts'
import { combineFields, type Field } from './field.ts'
import {
  areSameLifetimes,
  type LifetimesRequest,
  NO_OWN_LIFETIMES,
  type OwnLifetimes,
  withLifetimes,
} from './lifetimes.ts'
import { isName } from './name.ts'
import type { OpenIdClient } from './redirect-uris.ts'

/** The scopes that an application can have (RFC 6749 §3.3, docs/contract.md §2.3). */
export const SCOPES = [
  'users:sign_in',
  'users:register',
  'users:recover',
  'users:confirm_email',
  'users:read',
  'users:manage',
  'users:reset_factors',
  'users:vouch',
  'users:roles',
  'users:attributes',
  'tokens:introspect',
  'events:read',
] as const
export type Scope = (typeof SCOPES)[number]

/**
 * The scopes of an application for which the operator names none: what an application with its own users needs. A client of the OpenID
 * provider needs none.
 * The operator grants all others explicitly:
 *
 * - `tokens:introspect` shows the owner of any token.
 * - `users:recover` can take over any account, and with `users:reset_factors` also one with a second factor.
 * - `users:vouch` opens any account in silence.
 * - `users:roles` makes any user an administrator of other programs.
 * - `events:read` shows what all users and applications do.
 * - The rest read or change accounts of all applications.
 */
export const DEFAULT_SCOPE: ReadonlyArray<Scope> = ['users:sign_in', 'users:register']

/**
 * Whether an application that serves users can also set a new password for any of them. A separate application for recovery has none
 * of the other scopes.
 */
export const mixesRecovery = ({ scope, revoked }: Pick<Application, 'scope' | 'revoked'>): boolean =>
  !revoked && scope.includes('users:recover') && SERVES_USERS.some((one) => scope.includes(one))

/** Whether an application can take over also the accounts with a second factor: it sets a new password and removes the factor. */
export const mixesReset = ({ scope, revoked }: Pick<Application, 'scope' | 'revoked'>): boolean =>
  !revoked && scope.includes('users:recover') && scope.includes('users:reset_factors')

/** Whether an application that opens any account in silence can also find, keep or change accounts. */
export const mixesVouching = ({ scope, revoked }: Pick<Application, 'scope' | 'revoked'>): boolean =>
  !revoked && scope.includes('users:vouch') && scope.some((one) => HELPS_THIEVES.includes(one))

/** Whether an application can claim the accounts whose e-mail is not proved. */
export const claimsAccounts = ({ scope, revoked }: Pick<Application, 'scope' | 'revoked'>): boolean =>
  !revoked && scope.includes('users:vouch') && scope.includes('users:confirm_email')

/** The scopes that help a thief of the keys of an application that vouches for users. */
const HELPS_THIEVES: ReadonlyArray<Scope> = [
  'users:recover',
  'users:reset_factors',
  'users:manage',
  'users:read',
  'users:roles',
]

const SERVES_USERS: ReadonlyArray<Scope> = ['users:sign_in', 'users:register', 'users:manage']

/** A program with an API key pair. */
export type Application = Readonly<{
  id: string
  name: string
  scope: ReadonlyArray<Scope>
  /** Names the private key in events. */
  keyId: string
  /** SHA-256 of the private API key, in hexadecimal. The key itself is not stored. */
  keyDigest: string
  /** The key before this one, if a rotation left it an overlap. */
  previousKey: Option<PreviousKey>
  lifetimes: OwnLifetimes
  /** What a sign-in and a renewal must reach. */
  requiredAssurance: AssuranceLevel
  /** Whether users must have proved an e-mail. */
  requiresVerifiedEmail: boolean
  /** The origins of its pages that use passkeys. Without any, it has no passkeys. */
  passkeyOrigins: ReadonlyArray<string>
  /** Where pages and mails may send its users back. */
  returnUrls: ReadonlyArray<string>
  /** Revocation is permanent. */
  revoked: boolean
  /** Counts the writes of this record, from 1. */
  version: number
}> &
  OpenIdClient

/** A private key that was replaced. It works until `untilSeconds`. */
export type PreviousKey = Readonly<{ id: string; digest: string; untilSeconds: number }>

/** Why the server refuses a key pair, as events name it. The response does not show it. */
export type KeyRefusal =
  | 'unknown_application'
  | 'wrong_private_key'
  | 'previous_key_expired'
  | 'application_revoked'

/**
 * Returns the id of the presented private key if it is valid now.
 *
 * @param equals which of the application's digests the digest of the presented key equals
 */
export const validatePrivateKey = (
  application: Application,
  equals: Readonly<{ current: boolean; previous: boolean }>,
  nowSeconds: number,
): E.Either<KeyRefusal, string> => {
  const { keyId, previousKey, revoked } = application
  const previous = equals.previous ? previousKey : none
  if (!equals.current && isNone(previous)) return E.left('wrong_private_key')
  if (revoked) return E.left('application_revoked')
  if (equals.current || isNone(previous)) return E.right(keyId)
  return nowSeconds < previous.value.untilSeconds
    ? E.right(previous.value.id)
    : E.left('previous_key_expired')
}

/**
 * Returns the application with a new key. The current key becomes the previous one; an older previous key stops working.
 * Without an overlap the application keeps no previous key: a clock that goes back must not make it valid again.
 */
export const withKey = (
  application: Application,
  key: Readonly<{ id: string; digest: string }>,
  { previousUntilSeconds, nowSeconds }: Readonly<{ previousUntilSeconds: number; nowSeconds: number }>,
): Application => ({
  ...application,
  keyId: key.id,
  keyDigest: key.digest,
  previousKey:
    nowSeconds < previousUntilSeconds
      ? some({ id: application.keyId, digest: application.keyDigest, untilSeconds: previousUntilSeconds })
      : none,
})

export type ApplicationProblem = 'NameMalformed' | 'ScopeUnknown'

/** What an operator decides about an application. Spaces separate scopes; an empty text is none. A requirement that is absent stays. */
export type ApplicationRequest = Readonly<{
  name: string
  scope: string
  requireAal2?: boolean | undefined
  requireVerifiedEmail?: boolean | undefined
}> &
  LifetimesRequest

type RequestedApplication = Pick<Application, 'name' | 'scope' | keyof typeof APPLICATION_DEFAULTS>

/** What an application has if its operator decides nothing else. */
export const APPLICATION_DEFAULTS = {
  lifetimes: NO_OWN_LIFETIMES,
  requiredAssurance: 'aal1',
  requiresVerifiedEmail: false,
} as const satisfies Partial<Application>

const combine = combineFields<ApplicationProblem>()

/**
 * Returns what the operator decided, or all problems of the request.
 *
 * @param before what the request may leave as it is
 */
export const validateApplication = (
  request: ApplicationRequest,
  before: Pick<Application, keyof typeof APPLICATION_DEFAULTS> = APPLICATION_DEFAULTS,
): E.Either<NonEmptyArray<ApplicationProblem>, RequestedApplication> =>
  combine({
    name: isName(request.name) ? E.right(request.name) : E.left(['NameMalformed']),
    scope: pipe(
      parseScope(request.scope.trim()),
      E.fromOption((): NonEmptyArray<ApplicationProblem> => ['ScopeUnknown']),
    ),
    lifetimes: E.right(withLifetimes(before.lifetimes, request)),
    requiredAssurance: E.right(requiredAfter(before.requiredAssurance, request)),
    requiresVerifiedEmail: E.right(request.requireVerifiedEmail ?? before.requiresVerifiedEmail),
  })

const requiredAfter = (
  before: AssuranceLevel,
  { requireAal2 }: Pick<ApplicationRequest, 'requireAal2'>,
): AssuranceLevel => {
  if (requireAal2 === undefined) return before
  return requireAal2 ? 'aal2' : 'aal1'
}

/** Whether an operator decided the same about both. */
export const isSameApplication = (one: RequestedApplication, other: RequestedApplication): boolean =>
  one.name === other.name &&
  scopeText(one.scope) === scopeText(other.scope) &&
  one.requiredAssurance === other.requiredAssurance &&
  one.requiresVerifiedEmail === other.requiresVerifiedEmail &&
  areSameLifetimes(one.lifetimes, other.lifetimes)

/** Returns the scopes that a token permits: those that it holds and its application still has. */
export const permittedScope = (
  held: ReadonlyArray<Scope>,
  { scope }: Pick<Application, 'scope'>,
): ReadonlyArray<Scope> => held.filter((one) => scope.includes(one))

/** Returns scopes as tokens and rows contain them: names separated by one space (RFC 6749 §3.3). */
export const scopeText = (scope: ReadonlyArray<Scope>): string => scope.join(' ')

/** Returns the scopes in a text, each once, in the order of `SCOPES`. It is none if one of them does not exist. An empty text has no scopes. */
export const parseScope = (text: string): Option<ReadonlyArray<Scope>> => {
  if (text === '') return some([])
  const words = text.split(/ +/)
  return words.every(isScope) ? some(SCOPES.filter((known) => words.includes(known))) : none
}

/**
 * Returns the scopes for a new token: the requested ones, or all of the application (RFC 6749 §3.3).
 * It is none if the application requests a scope that it does not have.
 */
export const grantedScope = (
  { scope }: Pick<Application, 'scope'>,
  requested: Field,
): Option<ReadonlyArray<Scope>> => {
  if (requested === undefined || requested === '') return some(scope)
  const parsed = parseScope(requested.trim())
  return isSome(parsed) && parsed.value.length > 0 && parsed.value.every((one) => scope.includes(one))
    ? parsed
    : none
}

const isScope = (word: string): word is Scope => SCOPES.some((known) => known === word)
