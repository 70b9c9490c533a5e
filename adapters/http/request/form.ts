import * as E from 'fp-ts/lib/Either.js'
import { pipe } from 'fp-ts/lib/function.js'
import type { Field } from '../../../domain/field.ts'
import { asciiEmail } from '../../config/addresses/ascii-domains.ts'
import { type ReadBody, readBytes, UTF_8, utf8, validateMediaType } from './body.ts'
import { type MalformedRequest, malformed } from './request.ts'

/**
 * Reads the named parameters of a form (application/x-www-form-urlencoded). No body counts as an empty form. Unknown parameters are
 * ignored.
 *
 * A proxy may have read the body in another way, so ambiguous forms are malformed: repeated parameters (RFC 6749 §3.1) and invalid
 * escapes.
 */
export const readForm =
  <Name extends string>(names: ReadonlyArray<Name>): ReadBody<Readonly<Record<Name, Field>>> =>
  (request) =>
  async () => {
    const bytes = await readBytes(request)
    if (E.isLeft(bytes)) return bytes
    const unsupported =
      bytes.right.length === 0 ? undefined : validateMediaType(request, FORM, charsetsOf(bytes.right))
    if (unsupported !== undefined) return E.left(unsupported)
    return pipe(parseParameters(bytes.right, names, BODY), E.map(withAsciiEmail))
  }

/** Old libraries say ISO-8859-1, which is the same as UTF-8 as long as each byte is ASCII, also behind the escapes. */
const charsetsOf = (bytes: Buffer): ReadonlyArray<string> =>
  /^(?:[\0-$&-\x7f]|%[0-7])*$/.test(bytes.toString('latin1')) ? [...UTF_8, 'iso-8859-1'] : UTF_8

/** A parameter `email` in the form in which the service keeps it. */
const withAsciiEmail = <Fields extends Readonly<{ email?: Field }>>(fields: Fields): Fields =>
  fields.email === undefined ? fields : { ...fields, email: asciiEmail(fields.email) }

/** The media type of a form. */
export const FORM = 'application/x-www-form-urlencoded'
const MAX_PARAMETERS = 32

/** Where parameters are, and the failure if they cannot be read. */
type Place = Readonly<{ what: 'body' | 'query'; unreadable: MalformedRequest }>

const BODY: Place = { what: 'body', unreadable: malformed('The body is not a valid form in UTF-8.') }

/** The named parameters of a query. Like those of a form, they are malformed if they are repeated or have invalid escapes. */
export const readQuery = <Name extends string>(
  query: string,
  names: ReadonlyArray<Name>,
): E.Either<MalformedRequest, Readonly<Record<Name, Field>>> =>
  parseParameters(Buffer.from(query, 'latin1'), names, QUERY)

export const UNREADABLE_QUERY = malformed('The query is not percent-encoded UTF-8.')

const QUERY: Place = { what: 'query', unreadable: UNREADABLE_QUERY }

/** Parses parameters, as `readForm` says. */
const parseParameters = <Name extends string>(
  bytes: Uint8Array,
  names: ReadonlyArray<Name>,
  { what, unreadable }: Place,
): E.Either<MalformedRequest, Readonly<Record<Name, Field>>> => {
  const text = strictText(bytes)
  if (text === undefined) return E.left(unreadable)
  if (text.split('&', MAX_PARAMETERS + 1).length > MAX_PARAMETERS)
    return E.left(malformed(`The ${what} has more than ${MAX_PARAMETERS} parameters.`))
  const parameters = new URLSearchParams(`&${text}`) // without `&`, URLSearchParams would drop a leading question mark
  const sent = [...parameters.keys()]
  const repeated = sent.find((name, index) => sent.indexOf(name) !== index)
  if (repeated !== undefined) {
    const known = names.find((name) => name === repeated) ?? 'A parameter' // never echo unknown names
    return E.left(malformed(`${known} appears more than once.`))
  }
  const fields = names.map((name) => [name, parameters.get(name) ?? undefined] as const)
  return E.right(Object.fromEntries(fields) as Record<Name, Field>) // has an entry for each name
}

/** URLSearchParams accepts invalid escapes and replaces invalid UTF-8. decodeURIComponent throws for both. */
const strictText = (bytes: Uint8Array): string | undefined => {
  try {
    const text = utf8.decode(bytes)
    decodeURIComponent(text)
    return text
  } catch {
    return undefined
  }
}
