import * as t from 'io-ts'
import type { Field } from '../../../../domain/field.ts'
import { BodyField } from '../request/body.ts'
import type { Schema } from './schema.ts'

/** What a request's body is, for whoever writes one. */
export type BodyShape = Readonly<{ type: string; schema: Schema }>

/** What one field is. */
export type FieldShape = Readonly<{
  description: string
  example: string
  format?: 'password' | 'email'
  /** All it may be, where that is little. */
  values?: ReadonlyArray<string>
}>

/**
 * The fields of a JSON body, described once: the codec that reads them, and the schema that says when none of them counts as
 * missing. What is no object, or has a field that is no string, is read all the same, so that all that is wrong is
 * reported together.
 */
export const jsonFields = <Name extends string>(
  shapes: Readonly<Record<Name, FieldShape>>,
): BodyShape & Readonly<{ codec: t.Type<Readonly<Record<Name, Field>>, unknown, unknown> }> => {
  const names = Object.keys(shapes) as Array<Name> // those of the record
  return {
    codec: t.type(
      Object.fromEntries(names.map((name) => [name, BodyField])) as Record<Name, typeof BodyField>,
    ),
    type: 'application/json',
    schema: fieldsSchema(shapes, names),
  }
}

/** An object of texts; what else it holds is not looked at. */
export const fieldsSchema = (
  shapes: Readonly<Record<string, FieldShape>>,
  required: ReadonlyArray<string>,
): Schema => ({
  type: 'object',
  properties: Object.fromEntries(
    Object.entries(shapes).map(([name, { description, example, format, values }]) => [
      name,
      {
        type: 'string',
        description,
        ...(required.includes(name) && { minLength: 1, pattern: WELL_FORMED }),
        examples: [example],
        ...(format && { format }),
        ...(values && { enum: values }),
      },
    ]),
  ),
  required,
})

/** No surrogate stands alone: in a pattern of JSON Schema a pair is one character (ECMA-262 with the flag u). */
export const WELL_FORMED = '^[^\\uD800-\\uDFFF]*$'
