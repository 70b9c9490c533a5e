import * as t from 'io-ts'

/** A codec for exactly these claims. It refuses additional ones, because they could restrict the token (`nbf`, `aud`). */
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

/** A codec for these claims of a user token, and those about the authentication. */
export const userClaims = <Props extends t.Props, Time extends t.Mixed>(props: Props, time: Time) =>
  exactly({ ...props, auth_time: time, acr: t.string, amr: t.readonlyArray(t.string) })

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
