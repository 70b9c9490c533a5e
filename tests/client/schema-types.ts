import { programName } from '../../adapters/client/names.ts'
import type { Schema } from '../../adapters/http/operation/schema.ts'

/** Returns the name of a member in TypeScript. */
export type NameOf = (name: string) => string

/** The names of a program: `camelCase`, or those of the wire. */
export const namesOf = (keepsNames: boolean): NameOf => (keepsNames ? (name) => name : programName)

/**
 * The TypeScript type of a schema. The schemas of the service use few keywords; others throw.
 *
 * openapi-typescript needs TypeScript 5, and its types name the members as the wire does.
 *
 * @param isInput every member may be undefined: the service answers that a field is missing, and the form shows it
 */
export const typeOf = (schema: Schema, nameOf: NameOf, isInput = false): string => {
  if (schema.oneOf !== undefined) return schema.oneOf.map((one) => typeOf(one as Schema, nameOf)).join(' | ')
  if ('const' in schema) return JSON.stringify(schema.const)
  if (schema.enum !== undefined) return schema.enum.map((value) => JSON.stringify(value)).join(' | ')
  const types = Array.isArray(schema.type) ? schema.type : [schema.type]
  return types.map((type) => typeNamed(type, schema, nameOf, isInput)).join(' | ')
}

const typeNamed = (type: string | undefined, schema: Schema, nameOf: NameOf, isInput: boolean): string => {
  switch (type) {
    case 'string':
    case 'boolean':
    case 'null':
      return type
    case 'integer':
    case 'number':
      return 'number'
    case 'array':
      return `ReadonlyArray<${typeOf('items' in schema ? (schema.items as Schema) : {}, nameOf)}>`
    case 'object':
      return objectType(schema, nameOf, isInput)
    case undefined:
      if (Object.keys(schema).length === 0) return OPEN
  }
  throw new Error(`The client has no type for ${JSON.stringify(schema)}.`)
}

/**
 * The types of members with words of the vocabulary. The schemas permit every text, because a newer service may have another word. A
 * program wants the compiler to know those of today.
 */
const OF_VOCABULARY: Readonly<Record<string, string>> = { acr: 'Acr', amr: 'ReadonlyArray<Amr>' }

/** An object without these members. */
export const without = ({ properties, required, ...schema }: Schema, names: ReadonlyArray<string>): Schema =>
  ({
    ...schema,
    properties: Object.fromEntries(
      Object.entries(properties ?? {}).filter(([name]) => !names.includes(name)),
    ),
    required: (required ?? []).filter((name) => !names.includes(name)),
  }) as Schema

/** An object whose members another standard defines. */
const OPEN = 'Readonly<Record<string, unknown>>'

const objectType = (schema: Schema, nameOf: NameOf, isInput: boolean): string => {
  const { properties = {}, required = [], additionalProperties } = schema
  const members = Object.entries(properties).map(([name, member]) => {
    const { description } = member as Schema
    const comment = description === undefined ? '' : `/** ${description.replaceAll('*/', '')} */\n  `
    const type = `${OF_VOCABULARY[name] ?? typeOf(member as Schema, nameOf)}${isInput ? ' | undefined' : ''}`
    return `${comment}${nameOf(name)}${required.includes(name) ? '' : '?'}: ${type}`
  })
  if (members.length === 0)
    return typeof additionalProperties === 'object'
      ? `Readonly<Record<string, ${typeOf(additionalProperties as Schema, nameOf)}>>`
      : OPEN
  const closed = `Readonly<{\n${members.map((member) => `  ${member}\n`).join('')}}>`
  return additionalProperties ? `${closed} & ${OPEN}` : closed
}
