import * as E from 'fp-ts/lib/Either.js'
import type { Environment } from './setting-names.ts'

/** Reads one setting from the environment, or says in one sentence what is wrong with it. */
export type Setting<A> = (name: string, environment: Environment) => E.Either<string, A>

type Settings<Values> = { readonly [Name in keyof Values]: Setting<Values[Name]> }

/** The values of a table. */
export type SettingsIn<Table> = {
  readonly [Name in keyof Table]: Table[Name] extends Setting<infer A> ? A : never
}

/** Reads all settings of a table, or returns one sentence for each wrong one. */
export const readAll = <Values extends object>(
  table: Settings<Values>,
  environment: Environment,
): E.Either<ReadonlyArray<string>, Values> => {
  const read = Object.entries<Setting<unknown>>(table).map(([name, setting]) => ({
    name,
    value: setting(name, environment),
  }))
  const wrong = read.flatMap(({ value }) => (E.isLeft(value) ? [value.left] : []))
  if (wrong.length > 0) return E.left([...new Set(wrong)]) // two settings may be wrong for one reason
  const values = read.map(({ name, value }) => [name, E.isRight(value) ? value.right : undefined])
  return E.right(Object.fromEntries(values))
}

/**
 * A setting that is `fallback` if it is unset or empty.
 *
 * @param parse returns undefined for a wrong text
 * @param complaint completes "NAME …" for a wrong text
 */
export const setting =
  <A>(fallback: A, parse: (text: string) => A | undefined, complaint: (text: string) => string): Setting<A> =>
  (name, { [name]: text = '' }) => {
    if (text === '') return E.right(fallback)
    const value = parse(text)
    return value === undefined ? E.left(`${name} ${complaint(text)}`) : E.right(value)
  }

/** Says what a setting must be, and what it is. Not for secrets. */
export const mustBe =
  (rule: string) =>
  (text: string): string =>
    `must be ${rule}, got ${quoted(text)}`

export const integer = <Fallback extends number | undefined>(fallback: Fallback, min: number, max: number) =>
  setting<number | Fallback>(
    fallback,
    (text) =>
      /^\d{1,10}$/.test(text) && Number(text) >= min && Number(text) <= max ? Number(text) : undefined,
    mustBe(`a whole number from ${min} to ${max}`),
  )

export const oneOf = <Word extends string>(fallback: Word, ...words: ReadonlyArray<Word>) =>
  setting<Word>(fallback, (text) => words.find((word) => word === text), mustBe(`one of ${words.join(', ')}`))

/** A setting that is refused where it would have no effect. */
export const requires =
  (condition: string, isMet: (environment: Environment) => boolean) =>
  <A>(inner: Setting<A>): Setting<A> =>
  (name, environment) =>
    (environment[name] ?? '') === '' || isMet(environment)
      ? inner(name, environment)
      : E.left(`${name} requires ${condition}. Set that, or remove ${name}`)

/** A secret with the id that stored data names it by, so that it can be replaced. */
export type NamedSecret = Readonly<{ id: string; secret: string }>

/** @param things what the first secret is used for */
export const namedSecrets = (things: string) =>
  setting<ReadonlyArray<NamedSecret>>(
    [],
    parseNamedSecrets,
    (text) =>
      repeatedId(text) ??
      `must be ID:SECRET, or several separated by spaces, the one for new ${things} first. An ID has 1 to 16 of A-Z a-z 0-9 _ - and occurs once. A SECRET has 32 to 256 printable ASCII characters without commas (make one: openssl rand -hex 32). The value is not shown, because it is secret`,
  )

const NAMED_SECRET = /^([A-Za-z0-9_-]{1,16}):([!-+\--~]{32,256})$/

const parseNamedSecrets = (text: string): ReadonlyArray<NamedSecret> | undefined => {
  const secrets = text.split(/\s+/).map((word) => NAMED_SECRET.exec(word))
  const ids = new Set(secrets.map((parts) => parts?.[1]))
  return ids.size === secrets.length && !ids.has(undefined)
    ? secrets.map((parts) => ({ id: parts?.[1] ?? '', secret: parts?.[2] ?? '' }))
    : undefined
}

/** The sentence for secrets of the right form of which two have the same id. */
const repeatedId = (text: string): string | undefined => {
  const ids = text.split(/\s+/).map((word) => NAMED_SECRET.exec(word)?.[1])
  const repeated = ids.find((id, at) => ids.indexOf(id) < at)
  return ids.includes(undefined) || repeated === undefined
    ? undefined
    : `has the id ${repeated} twice. Give each secret an id of its own`
}

/**
 * A value as messages show it: as JSON in ASCII, and at most 60 characters of it. A secret may be in the wrong setting, so credentials
 * and queries of URLs and long words are hidden.
 */
export const quoted = (text: string): string => {
  const safe = text
    .replace(/^.*@/s, '***@')
    .replace(/\?.+/s, '?***')
    .replace(/[A-Za-z0-9_+=]{32,}/g, '***')
  const cut = safe.length > MAX_SHOWN ? `${safe.slice(0, MAX_SHOWN)}...` : safe
  return JSON.stringify(cut).replace(
    /[^ -~]/g,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  )
}

const MAX_SHOWN = 60
