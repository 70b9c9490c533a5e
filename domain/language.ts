import { type Either, left, right } from 'fp-ts/lib/Either.js'
import type { NonEmptyArray } from 'fp-ts/lib/NonEmptyArray.js'
import { fromNullable, none, type Option, some } from 'fp-ts/lib/Option.js'
import { type Field, isPresent } from './field.ts'

/** Whether a text has the form of a language tag that the service accepts: BCP 47 without private and grandfathered tags. */
export const isLanguageTag = (text: string): boolean =>
  text.length <= 35 && /^[A-Za-z]{2,3}(-[A-Za-z0-9]{1,8})*$/.test(text)

/** Whether a text can name a language that the service has: as `isLanguageTag`, with the language itself in lower case. */
export const isLanguageName = (text: string): boolean => /^[a-z]{2,3}(-[A-Za-z0-9]{2,8})*$/.test(text)

/** Returns the language that a request names, if any. The service may not know it. */
export const validateLanguage = (
  field: Field,
): Either<NonEmptyArray<'LanguageMalformed'>, Option<string>> => {
  if (!isPresent(field)) return right(none)
  return isLanguageTag(field) ? right(some(field)) : left(['LanguageMalformed'])
}

/**
 * Returns the first language that fits a wish, in the order of the wishes: the lookup of RFC 4647 §3.4. So `de-AT` finds `de`. None if no wish
 * fits, or is malformed.
 */
export const lookUpLanguage = (
  wishes: ReadonlyArray<string>,
  available: ReadonlyArray<string>,
): Option<string> => {
  const languageOf = new Map(available.map((language) => [language.toLowerCase(), language]))
  const ranges = wishes.filter(isLanguageTag).flatMap(rangesOf)
  return fromNullable(ranges.map((range) => languageOf.get(range)).find((found) => found !== undefined))
}

/** `zh-hant-tw`, `zh-hant`, `zh`. A single letter only announces what follows it, so it goes together with that. */
const rangesOf = (tag: string): ReadonlyArray<string> => {
  const parts = tag.toLowerCase().split('-')
  return parts
    .map((_, removed) => parts.slice(0, parts.length - removed))
    .filter((kept) => kept.at(-1)?.length !== 1)
    .map((kept) => kept.join('-'))
}
