/** A JSON Schema, draft 2020-12, as OpenAPI 3.1 takes it. */
export type Schema = Readonly<{
  type?: 'object' | 'array' | 'string' | 'integer' | 'boolean'
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

/** An object with exactly these members. */
export const object = (properties: Readonly<Record<string, Schema>>, description?: string): Schema => ({
  type: 'object',
  ...(description === undefined ? {} : { description }),
  properties,
  required: Object.keys(properties),
  additionalProperties: false,
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

export const uuid = (description: string): Schema => text(description, { format: 'uuid' })
