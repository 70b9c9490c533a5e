import * as E from 'fp-ts/lib/Either.js'
import { pipe } from 'fp-ts/lib/function.js'
import type { NonEmptyArray } from 'fp-ts/lib/NonEmptyArray.js'
import { isNone, isSome, none, type Option, some } from 'fp-ts/lib/Option.js'
import { type Field, together } from './field.ts'

/** What an application's token may be used for, after RFC 6749 §3.3. */
export const SCOPES = ['users:sign_in', 'users:register', 'tokens:introspect'] as const
export type Scope = (typeof SCOPES)[number]

/**
 * The scope of an application for which none is named: what an application with users of its own needs. Whoever may
 * introspect sees whom any token belongs to, so that has to be asked for.
 */
export const DEFAULT_SCOPE: ReadonlyArray<Scope> = ['users:sign_in', 'users:register']

/** A program that holds an API key pair. */
export type Application = Readonly<{
  id: string
  name: string
  scope: ReadonlyArray<Scope>
  /** Names the private key in events; the key itself is kept only as a digest. */
  keyId: string
  /** SHA-256 of the private API key, in hexadecimal. */
  keyDigest: string
  /** The key before this one, as long as it may still be used beside it. */
  previousKey: Option<PreviousKey>
  /** For good. */
  revoked: boolean
  /** How often this record was written; 1 is the first time. */
  version: number
}>

/** A private key that was replaced: `id` and `digest` as they were, and the moment from which it is good no more. */
export type PreviousKey = Readonly<{ id: string; digest: string; untilSeconds: number }>

/** Why a key pair gets no token, as events name it. Nobody learns it from the answer. */
export type KeyRefusal =
  | 'unknown_application'
  | 'wrong_private_key'
  | 'previous_key_expired'
  | 'application_revoked'

/**
 * The id of the key that was shown, if it is good now.
 *
 * @param equals which of the application's digests the digest of the shown key is equal to
 */
export const liveKey = (
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
 * The application with another key; the one it had stays good until then, and one before that no longer. One that is to end
 * at once is not kept at all, so that no clock that is set back brings it to life again.
 */
export const withKey = (
  application: Application,
  key: Readonly<{ id: string; digest: string }>,
  previousUntilSeconds: number,
  nowSeconds: number,
): Application => ({
  ...application,
  keyId: key.id,
  keyDigest: key.digest,
  previousKey:
    nowSeconds < previousUntilSeconds
      ? some({ id: application.keyId, digest: application.keyDigest, untilSeconds: previousUntilSeconds })
      : none,
})

/** A name is 1–100 printable characters: it is shown to operators, one per line. */
const MAX_NAME_CHARACTERS = 100

export type ApplicationProblem = 'NameMalformed' | 'ScopeUnknown'

export type ApplicationRequest = Readonly<{ name: string; scope: string }>

const judged = together<ApplicationProblem>()

/** Everything that is wrong with what an operator wants an application to be. Scopes are separated by spaces. */
export const validateApplication = (
  request: ApplicationRequest,
): E.Either<NonEmptyArray<ApplicationProblem>, Pick<Application, 'name' | 'scope'>> =>
  judged({
    name: isName(request.name) ? E.right(request.name) : E.left(['NameMalformed']),
    scope: pipe(
      parseScope(request.scope.trim()),
      E.fromOption((): NonEmptyArray<ApplicationProblem> => ['ScopeUnknown']),
    ),
  })

/** A scope as it stands in a token or a row: names separated by one space (RFC 6749 §3.3). */
export const scopeText = (scope: ReadonlyArray<Scope>): string => scope.join(' ')

/** The scopes a text names, each once and in their own order; none when it names one that does not exist. */
export const parseScope = (text: string): Option<ReadonlyArray<Scope>> => {
  const words = text.split(/ +/)
  return words.every(isScope) ? some(SCOPES.filter((known) => words.includes(known))) : none
}

/**
 * What a token may be used for that an application asks for: all that the application may do, or what it names of that
 * (RFC 6749 §3.3). None when it names anything besides.
 */
export const grantedScope = (
  { scope }: Pick<Application, 'scope'>,
  asked: Field,
): Option<ReadonlyArray<Scope>> => {
  if (asked === undefined || asked === '') return some(scope)
  const named = parseScope(asked)
  return isSome(named) && named.value.every((one) => scope.includes(one)) ? named : none
}

const isScope = (word: string): word is Scope => SCOPES.some((known) => known === word)

const isName = (name: string): boolean =>
  name.isWellFormed() &&
  [...name].length <= MAX_NAME_CHARACTERS &&
  /^[^\p{C}\p{Zl}\p{Zp}]+$/u.test(name) &&
  name.trim() !== ''
