import * as E from 'fp-ts/lib/Either.js'
import { pipe } from 'fp-ts/lib/function.js'
import type { NonEmptyArray } from 'fp-ts/lib/NonEmptyArray.js'
import { none, type Option, some } from 'fp-ts/lib/Option.js'
import { together } from './field.ts'

/** What an application's token may be used for, after RFC 6749 §3.3. */
export const SCOPES = ['users:sign_in', 'users:register'] as const
export type Scope = (typeof SCOPES)[number]

/** A program that holds an API key pair. */
export type Application = Readonly<{
  id: string
  name: string
  scope: ReadonlyArray<Scope>
  /** Names the private key in events; the key itself is kept only as a digest. */
  keyId: string
  /** SHA-256 of the private API key, in hexadecimal. */
  keyDigest: string
  /** How often this record was written; 1 is the first time. */
  version: number
}>

/** A name is 1–100 printable characters: it is shown to operators, one per line. */
const MAX_NAME_CHARACTERS = 100

export type ApplicationProblem = 'NameMalformed' | 'ScopeUnknown'

export type ApplicationRequest = Readonly<{ name: string; scope: string }>

const judged = together<ApplicationProblem>()

/** Everything that is wrong with what an operator wants an application to be. Scopes are separated by spaces. */
export const judgeApplication = (
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

const isScope = (word: string): word is Scope => SCOPES.some((known) => known === word)

const isName = (name: string): boolean =>
  name.isWellFormed() &&
  [...name].length <= MAX_NAME_CHARACTERS &&
  /^[^\p{C}\p{Zl}\p{Zp}]+$/u.test(name) &&
  name.trim() !== ''
