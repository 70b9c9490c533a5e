import type { IncomingMessage } from 'node:http'
import * as E from 'fp-ts/lib/Either.js'
import type { TaskEither } from 'fp-ts/lib/TaskEither.js'
import type { Field } from '../../../../domain/field.ts'
import { type BodyShape, type FieldShape, fieldsSchema } from '../operation/fields.ts'
import { type BodyRefused, readBytes, utf8, validateMediaType } from '../request/body.ts'
import { type MalformedRequest, malformed } from '../request/malformed.ts'

/** The parameters of a form, for whoever writes one. */
export const formFields = <Name extends string>(
  shapes: Readonly<Record<Name, FieldShape>>,
  required: ReadonlyArray<NoInfer<Name>>,
): BodyShape & Readonly<{ names: ReadonlyArray<Name> }> => ({
  names: Object.keys(shapes) as Array<Name>, // those of the record
  type: FORM,
  schema: fieldsSchema(shapes, required),
})

/**
 * The parameters of these names in a form body (application/x-www-form-urlencoded). No body is a form without any, and
 * unknown parameters are ignored.
 *
 * Whoever stands in front may have read the body too, so nothing in it is mended: what has two readings is malformed, a
 * parameter that comes twice (RFC 6749 §3.1) and an escape that is none.
 */
export const readForm =
  <Name extends string>(
    request: IncomingMessage,
    names: ReadonlyArray<Name>,
  ): TaskEither<BodyRefused, Readonly<Record<Name, Field>>> =>
  async () => {
    const bytes = await readBytes(request)
    if (E.isLeft(bytes)) return bytes
    const unsupported = bytes.right.length === 0 ? undefined : validateMediaType(request, FORM)
    return unsupported === undefined ? parseForm(bytes.right, names) : E.left(unsupported)
  }

const FORM = 'application/x-www-form-urlencoded'
const MAX_PARAMETERS = 32

const parseForm = <Name extends string>(
  bytes: Uint8Array,
  names: ReadonlyArray<Name>,
): E.Either<MalformedRequest, Readonly<Record<Name, Field>>> => {
  const text = strictText(bytes)
  if (text === undefined) return E.left(malformed('The body is no valid form in UTF-8.'))
  if (text.split('&', MAX_PARAMETERS + 1).length > MAX_PARAMETERS)
    return E.left(malformed(`The body has more than ${MAX_PARAMETERS} parameters.`))
  const parameters = new URLSearchParams(`&${text}`) // it would take a question mark at the beginning for no part of a name
  const sent = [...parameters.keys()]
  const twice = sent.find((name, index) => sent.indexOf(name) !== index)
  if (twice !== undefined) {
    const known = names.find((name) => name === twice) ?? 'A parameter' // another one is not repeated to anybody
    return E.left(malformed(`${known} comes more than once.`))
  }
  const fields = names.map((name) => [name, parameters.get(name) ?? undefined] as const)
  return E.right(Object.fromEntries(fields) as Record<Name, Field>) // one for each name
}

/** URLSearchParams lets pass what is no escape, and replaces what is no UTF-8: decodeURIComponent throws for both. */
const strictText = (bytes: Uint8Array): string | undefined => {
  try {
    const text = utf8.decode(bytes)
    decodeURIComponent(text)
    return text
  } catch {
    return undefined
  }
}
