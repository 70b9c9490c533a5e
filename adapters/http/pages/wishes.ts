import type { Field } from '../../../domain/field.ts'

/** A longer text is no list of languages that a person has chosen. */
const MOST_CHARACTERS = 200

/** Returns the languages of `ui_locales`, the most wanted first (OpenID Connect Core §3.1.2.1). */
export const choicesIn = (field: Field): ReadonlyArray<string> =>
  field?.slice(0, MOST_CHARACTERS).split(' ') ?? []

/** Returns the languages of an `Accept-Language`, the most wanted first (RFC 9110 §12.5.4). `*` and weights of 0 count as nothing. */
export const wishesIn = (header = ''): ReadonlyArray<string> =>
  header
    .slice(0, MOST_CHARACTERS)
    .split(',')
    .flatMap((part) => {
      const [, tag, weight = '1'] =
        /^\s*([A-Za-z0-9-]+)\s*(?:;\s*q\s*=\s*([01](?:\.\d{0,3})?)\s*)?$/.exec(part) ?? []
      return tag === undefined || Number(weight) === 0 ? [] : [{ tag, weight: Number(weight) }]
    })
    .sort((one, other) => other.weight - one.weight)
    .map(({ tag }) => tag)
