import * as t from 'io-ts'
import type { Field } from '../../../domain/field.ts'
import { BodyField, BodyFlag } from '../request/body.ts'
import type { Schema } from './schema.ts'

/** The description of a request body. */
export type BodyShape = Readonly<{ type: string; schema: Schema }>

/** The description of one field. */
export type FieldShape = Readonly<{
  description: string
  example: string
  format?: 'password' | 'email'
  /** All permitted values, if there are few. */
  values?: ReadonlyArray<string>
}>

/**
 * The fields of a JSON body: the codec that reads them, and the schema that describes them. The codec accepts every body, so that
 * one response can report all problems together.
 *
 * @param required the fields without which the operation fails; all by default
 */
export const jsonFields = <Name extends string>(
  shapes: Readonly<Record<Name, FieldShape>>,
  required: ReadonlyArray<NoInfer<Name>> = namesOf(shapes),
): BodyShape & Readonly<{ codec: t.Type<Readonly<Record<Name, Field>>, unknown, unknown> }> => {
  const names = namesOf(shapes)
  return {
    codec: t.type(
      Object.fromEntries(names.map((name) => [name, BodyField])) as Record<Name, typeof BodyField>,
    ),
    type: 'application/json',
    schema: fieldsSchema(shapes, required),
  }
}

/** A body that also has fields with JSON `true`. Every other value of such a field is ignored. */
export const withFlags = <Fields, Flag extends string>(
  { codec, schema, ...body }: BodyShape & Readonly<{ codec: t.Type<Fields, unknown, unknown> }>,
  flags: Readonly<Record<Flag, Readonly<{ description: string }>>>,
): BodyShape & Readonly<{ codec: t.Type<Fields & Readonly<Record<Flag, boolean>>, unknown, unknown> }> => {
  const all: ReadonlyArray<readonly [string, { description: string }]> = Object.entries(flags)
  return {
    ...body,
    codec: t.intersection([
      codec,
      t.type(Object.fromEntries(all.map(([name]) => [name, BodyFlag])) as Record<Flag, typeof BodyFlag>),
    ]) as unknown as t.Type<Fields & Readonly<Record<Flag, boolean>>, unknown, unknown>, // the same without mapped types
    schema: {
      ...schema,
      properties: {
        ...schema.properties,
        ...Object.fromEntries(
          all.map(([name, { description }]) => [name, { type: 'boolean', description, examples: [true] }]),
        ),
      },
    },
  }
}

const namesOf = <Name extends string>(shapes: Readonly<Record<Name, FieldShape>>): ReadonlyArray<Name> =>
  Object.keys(shapes) as Array<Name> // the keys of the record

/** An object of strings. Other members are ignored. */
export const fieldsSchema = (
  shapes: Readonly<Record<string, FieldShape>>,
  required: ReadonlyArray<string>,
): Schema => ({
  type: 'object',
  properties: Object.fromEntries(
    Object.entries(shapes).map(([name, { description, example, format, values }]): [string, Schema] => [
      name,
      {
        type: 'string',
        description,
        ...(required.includes(name) && { minLength: 1, pattern: WELL_FORMED }),
        examples: [example],
        ...(format && { format }),
        ...(values && { enum: [...values] }),
      },
    ]),
  ),
  required: [...required],
})

/** No lone surrogates: patterns of JSON Schema have the flag `u`, so a pair is one character. */
export const WELL_FORMED = '^[^\\uD800-\\uDFFF]*$'
