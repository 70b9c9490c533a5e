import * as t from 'io-ts'
import type { Field } from '../../../domain/field.ts'
import { BodyField, BodyFlag, EmailField, type ReadBody, readFields } from '../request/body.ts'
import { FORM, readForm } from '../request/form.ts'
import type { Schema } from './schema.ts'

/** The description of a request body. `needsOneField`: no field is required, but a request with none of them fails. */
export type BodyShape = Readonly<{ type: string; schema: Schema; needsOneField?: boolean }>

/** A request body: its description, and the function that reads its fields. */
export type Body<Fields> = BodyShape & Readonly<{ read: ReadBody<Fields> }>

/** The description of one field. */
export type FieldShape = Readonly<{
  description: string
  example: string
  format?: 'password' | 'email'
  /** All permitted values, if there are few. */
  values?: ReadonlyArray<string>
}>

/**
 * The fields of a JSON body: the function that reads them, and the schema that describes them. It accepts every body, so that one
 * response can report all problems together.
 *
 * @param required the fields without which the operation fails; all by default
 */
export const jsonFields = <Name extends string>(
  shapes: Readonly<Record<Name, FieldShape>>,
  required: ReadonlyArray<NoInfer<Name>> = namesOf(shapes),
): JsonBody<Readonly<Record<Name, Field>>> => {
  const names = namesOf(shapes)
  return jsonBody(
    t.type(
      Object.fromEntries(
        names.map((name) => [name, shapes[name].format === 'email' ? EmailField : BodyField]),
      ) as Record<Name, typeof BodyField>,
    ),
    fieldsSchema(shapes, required),
  )
}

/** A JSON body that also has fields with JSON `true`. Every other value of such a field is ignored. */
export const withFlags = <Fields, Flag extends string>(
  { codec, schema }: JsonBody<Fields>,
  flags: Readonly<Record<Flag, Readonly<{ description: string }>>>,
): JsonBody<Fields & Readonly<Record<Flag, boolean>>> => {
  const all: ReadonlyArray<readonly [string, { description: string }]> = Object.entries(flags)
  return jsonBody(
    t.intersection([
      codec,
      t.type(Object.fromEntries(all.map(([name]) => [name, BodyFlag])) as Record<Flag, typeof BodyFlag>),
    ]) as unknown as t.Type<Fields & Readonly<Record<Flag, boolean>>, unknown, unknown>, // the same without mapped types
    {
      ...schema,
      properties: {
        ...schema.properties,
        ...Object.fromEntries(
          all.map(([name, { description }]) => [name, { type: 'boolean', description, examples: [true] }]),
        ),
      },
    },
  )
}

type JsonBody<Fields> = Body<Fields> & Readonly<{ codec: t.Type<Fields, unknown, unknown> }>

const jsonBody = <Fields>(codec: t.Type<Fields, unknown, unknown>, schema: Schema): JsonBody<Fields> => ({
  codec,
  read: readFields(codec),
  type: 'application/json',
  schema,
})

/** The parameters of a form: the function that reads them, and the schema that describes them. */
export const formFields = <Name extends string>(
  shapes: Readonly<Record<Name, FieldShape>>,
  required: ReadonlyArray<NoInfer<Name>>,
): Body<Readonly<Record<Name, Field>>> => ({
  read: readForm(namesOf(shapes)),
  type: FORM,
  schema: fieldsSchema(shapes, required),
})

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
