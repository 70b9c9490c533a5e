import * as E from 'fp-ts/lib/Either.js'
import { en } from './en.ts'
import { formsOf, type Plural, placeholdersOf, type Text } from './text.ts'
import type { TextKey, Texts } from './texts.ts'

/** Reads the texts of a language from JSON, or says in a sentence each what is wrong with them. */
export const ownTextsIn = (json: string): E.Either<ReadonlyArray<string>, Partial<Texts>> => {
  const read = parsed(json)
  if (!isObject(read)) return E.left(['it is not a JSON object'])
  const problems = Object.entries(read).flatMap(([key, value]) => problemsOf(key, value))
  return problems.length > 0 ? E.left(problems) : E.right(read as Partial<Texts>) // `problemsOf` has seen each text
}

/** The texts that a language does not have. */
export const missingIn = (texts: Partial<Texts>): ReadonlyArray<TextKey> =>
  KEYS.filter((key) => texts[key] === undefined)

const KEYS = Object.keys(en) as ReadonlyArray<TextKey> // the keys of the object

const problemsOf = (key: string, value: unknown): ReadonlyArray<string> => {
  if (!isKey(key)) return [`there is no text ${JSON.stringify(key)}`]
  const english: Text = en[key]
  if (!isTextLike(value, english))
    return [
      typeof english === 'string'
        ? `${key} must be a text`
        : `${key} must be an object of texts for ${CATEGORIES.join(', ')}, and have other`,
    ]
  const known = placeholdersOf(english)
  const unknown = [...placeholdersOf(value)].filter((name) => !known.has(name))
  const isBroken = formsOf(value).some((form) => form.length > MAX_CHARACTERS || !ONE_LINE.test(form))
  return [
    ...unknown.map((name) => `${key} has no value {${name}}`),
    ...(formsOf(value).some((form) => /<script/i.test(form)) ? [`${key} must not have <script`] : []),
    ...(isBroken ? [`${key} must be one line of 1 to ${MAX_CHARACTERS} characters`] : []),
  ]
}

const MAX_CHARACTERS = 1_000
const ONE_LINE = /^[^\p{Cc}\p{Zl}\p{Zp}]+$/u
const CATEGORIES: ReadonlyArray<string> = ['zero', 'one', 'two', 'few', 'many', 'other']

const isKey = (key: string): key is TextKey => Object.hasOwn(en, key)

/** Whether a value has the form of the English text. */
const isTextLike = (value: unknown, english: Text): value is Text =>
  typeof english === 'string' ? typeof value === 'string' : isPlural(value)

const isPlural = (value: unknown): value is Plural =>
  isObject(value) &&
  typeof value.other === 'string' &&
  Object.entries(value).every(([category, form]) => CATEGORIES.includes(category) && typeof form === 'string')

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

const parsed = (json: string): unknown => {
  try {
    return JSON.parse(json)
  } catch {
    return undefined
  }
}
