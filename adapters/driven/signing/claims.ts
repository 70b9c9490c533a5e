import * as t from 'io-ts'

/**
 * The claims of a token that this service made: all of these and no other. Another one might say for what the token is no good
 * (`nbf`, `aud`), and whoever does not know it would pass over it.
 */
export const exactly = <Props extends t.Props>(props: Props) => {
  const claims = t.strict(props)
  const count = Object.keys(props).length
  return new t.Type<t.TypeOfProps<Props>, t.OutputOfProps<Props>, unknown>(
    claims.name,
    claims.is,
    (u, context) =>
      typeof u === 'object' && u !== null && Object.keys(u).length > count
        ? t.failure(u, context)
        : claims.validate(u, context),
    claims.encode,
  )
}

/** The JSON object in a part of a token, read without verification; an empty one where there is none. */
export const jsonIn = (part: string): Readonly<Record<string, unknown>> => {
  try {
    const json: unknown = JSON.parse(Buffer.from(part, 'base64url').toString())
    return t.UnknownRecord.is(json) ? json : {}
  } catch {
    return {}
  }
}
