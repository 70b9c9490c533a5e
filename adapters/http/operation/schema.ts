import type { OpenAPIV3_1 } from 'openapi-types'

/** A JSON Schema, draft 2020-12, as OpenAPI 3.1 uses it. */
export type Schema = OpenAPIV3_1.SchemaObject

/** An object with required and optional members. It stays open, so that later versions can add members. */
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

export const text = (description: string, more: Partial<OpenAPIV3_1.BaseSchemaObject> = {}): Typed => ({
  type: 'string',
  description,
  ...more,
})

export const integer = (description: string): Typed => ({ type: 'integer', description, minimum: 0 })

export const flag = (description: string): Typed => ({ type: 'boolean', description })

/** One of these texts. */
export const oneOf = (values: ReadonlyArray<string>, description: string): Typed => ({
  type: 'string',
  enum: [...values],
  description,
})

/** The member `email_verified` of a response. */
export const EMAIL_VERIFIED = flag('Whether the user proved to receive mail at this e-mail.')

/** The member `roles` of a response. */
export const ROLES = array(text('A role.'), 'The roles of the user, sorted. Empty without any.')

/** The members `acr` and `amr` of responses: the last authentication of the user. */
export const ASSURANCE = {
  acr: text(
    'The level of assurance (NIST SP 800-63B): `aal1` after a password or a vouched sign-in, `aal2` after either and a second factor, or a passkey alone.',
  ),
  amr: array(
    text('A value of RFC 8176, `recovery_code`, or `vouched` and what an application saw.'),
    'How the user was authenticated: `["pwd"]` after a password, `["pwd", "otp", "mfa"]` after a password and a code of an app.',
  ),
}

export const constant = (value: string | number | boolean): Schema => ({ const: value })

/** The schema or null. */
export const nullable = ({ type, ...schema }: Typed): Schema => ({ ...schema, type: [type, 'null'] })

/** A time as in the event log: RFC 3339, UTC, milliseconds. */
export const dateTime = (description: string): Typed => text(description, { format: 'date-time' })

export const uuid = (description: string): Typed => text(description, { format: 'uuid' })

type Typed = OpenAPIV3_1.NonArraySchemaObject & { type: OpenAPIV3_1.NonArraySchemaObjectType }
