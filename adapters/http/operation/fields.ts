import * as t from 'io-ts'
import type { Field } from '../../../domain/field.ts'
import { BodyField, BodyFlag, BodyList, EmailField, type ReadBody, readFields } from '../request/body.ts'
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
  body: JsonBody<Fields>,
  flags: Readonly<Record<Flag, Readonly<{ description: string }>>>,
): JsonBody<Fields & Readonly<Record<Flag, boolean>>> =>
  withMembers(
    body,
    BodyFlag,
    Object.fromEntries(
      namesOf<Flag>(flags).map((name) => [
        name,
        { type: 'boolean', description: flags[name].description, examples: [true] },
      ]),
    ) as Record<Flag, Schema>,
  )

/** A JSON body that also has fields with arrays of strings. Every other value of such a field counts as absent. */
export const withLists = <Fields, List extends string>(
  body: JsonBody<Fields>,
  lists: Readonly<Record<List, Readonly<{ description: string; items: Schema; examples: Array<unknown> }>>>,
): JsonBody<Fields & Readonly<Record<List, ReadonlyArray<unknown> | undefined>>> =>
  withMembers(
    body,
    BodyList,
    Object.fromEntries(
      namesOf<List>(lists).map((name) => [name, { type: 'array', ...lists[name] }]),
    ) as Record<List, Schema>,
  )

/** A JSON body that also has fields of any type. Null, numbers and objects reach the domain as they are; only a missing field is absent. */
export const withValues = <Fields, Name extends string>(
  body: JsonBody<Fields>,
  values: Readonly<Record<Name, Schema>>,
): JsonBody<Fields & Readonly<Record<Name, unknown>>> => withMembers(body, t.unknown, values)

const withMembers = <Fields, Name extends string, Value>(
  { codec, schema }: Pick<JsonBody<Fields>, 'codec' | 'schema'>,
  value: t.Type<Value, unknown, unknown>,
  members: Readonly<Record<Name, Schema>>,
): JsonBody<Fields & Readonly<Record<Name, Value>>> =>
  jsonBody(
    t.intersection([
      codec,
      t.type(Object.fromEntries(namesOf<Name>(members).map((name) => [name, value]))),
    ]) as unknown as t.Type<Fields & Readonly<Record<Name, Value>>, unknown, unknown>, // the same without mapped types
    { ...schema, properties: { ...schema.properties, ...members } },
  )

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

const namesOf = <Name extends string>(shapes: Readonly<Record<Name, unknown>>): ReadonlyArray<Name> =>
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
