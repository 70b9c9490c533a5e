/** A JSON Schema, draft 2020-12, as OpenAPI 3.1 takes it. */
export type Schema = Readonly<{
  type?: Type | ReadonlyArray<Type | 'null'>
  description?: string
  properties?: Readonly<Record<string, Schema>>
  required?: ReadonlyArray<string>
  additionalProperties?: boolean
  items?: Schema
  minItems?: number
  maxItems?: number
  const?: string | number | boolean
  enum?: ReadonlyArray<string>
  oneOf?: ReadonlyArray<Schema>
  allOf?: ReadonlyArray<Schema>
  $ref?: string
  pattern?: string
  format?: string
  examples?: ReadonlyArray<string>
  minLength?: number
  maxLength?: number
  minimum?: number
}>

type Type = 'object' | 'array' | 'string' | 'integer' | 'boolean'

/** An object with these members, and perhaps with those that are optional. It is open, for later versions may say more. */
export const object = (
  properties: Readonly<Record<string, Schema>>,
  description?: string,
  optional: Readonly<Record<string, Schema>> = {},
): Schema => ({
  type: 'object',
  ...(description === undefined ? {} : { description }),
  properties: { ...properties, ...optional },
  required: Object.keys(properties),
})

export const array = (items: Schema, description: string): Schema => ({ type: 'array', description, items })

export const text = (description: string, more: Schema = {}): Schema => ({
  type: 'string',
  description,
  ...more,
})

export const whole = (description: string, more: Schema = {}): Schema => ({
  type: 'integer',
  description,
  minimum: 0,
  ...more,
})

export const constant = (value: string | number | boolean, description?: string): Schema => ({
  const: value,
  ...(description === undefined ? {} : { description }),
})

/** The same, or null where there is none. */
export const orNull = (schema: Schema & { type: Type }): Schema => ({
  ...schema,
  type: [schema.type, 'null'],
})

/** A moment as the event log has it: RFC 3339, UTC, milliseconds. */
export const moment = (description: string): Schema & { type: 'string' } => ({
  type: 'string',
  description,
  format: 'date-time',
})

export const uuid = (description: string): Schema & { type: 'string' } => ({
  type: 'string',
  description,
  format: 'uuid',
})
