import * as t from 'io-ts'

/**
 * A codec for exactly these claims, and optional ones. It refuses additional ones, because they could restrict the token (`nbf`, `aud`).
 */
export const exactly = <Props extends t.Props, Optional extends t.Props = Record<never, never>>(
  props: Props,
  optional: Optional = {} as Optional,
) => {
  const claims = t.exact(t.intersection([t.type(props), t.partial(optional)]))
  const names = new Set([...Object.keys(props), ...Object.keys(optional)])
  return new t.Type<t.TypeOf<typeof claims>, t.OutputOf<typeof claims>, unknown>(
    claims.name,
    claims.is,
    (u, context) =>
      typeof u === 'object' && u !== null && Object.keys(u).some((name) => !names.has(name))
        ? t.failure(u, context)
        : claims.validate(u, context),
    claims.encode,
  )
}

/** A codec for these claims of a user token, those about the authentication, and the roles of the user. */
export const userClaims = <Props extends t.Props, Time extends t.Mixed>(props: Props, time: Time) =>
  exactly(
    { ...props, auth_time: time, acr: t.string, amr: t.readonlyArray(t.string) },
    { roles: t.readonlyArray(t.string) },
  )

/** The JSON object in a part of a token, without verification; empty if the part is not a JSON object. */
export const jsonIn = (part: string): Readonly<Record<string, unknown>> => {
  try {
    const json: unknown = JSON.parse(Buffer.from(part, 'base64url').toString())
    return t.UnknownRecord.is(json) ? json : {}
  } catch {
    return {}
  }
}

/** The bytes of a part of a token. Decoders accept several spellings of the same bytes, but each token has one. */
export const canonicalBytes = (part: string): Buffer | undefined => {
  const bytes = Buffer.from(part, 'base64url')
  return bytes.toString('base64url') === part ? bytes : undefined
}

/** Throws on invalid UTF-8. */
export const utf8 = new TextDecoder('utf-8', { fatal: true })
