import * as fc from 'fast-check'
import { none } from 'fp-ts/lib/Option.js'
import { jwtApplicationTokens } from '../../adapters/credentials/jwt/application-tokens.ts'
import { jwtUserTokens } from '../../adapters/credentials/jwt/user-tokens.ts'
import { pasetoUserTokens } from '../../adapters/credentials/paseto/user-tokens.ts'
import { withTokenCache } from '../../adapters/credentials/signing/token-cache.ts'
import type { TokenFormat } from '../../application/ports/token-format.ts'
import type { AcceptedPurpose, SigningKey } from '../../domain/signing-key.ts'
import type { ApplicationTokenClaims, UserJwtClaims, UserTokenClaims } from '../../domain/token.ts'
import { forgeJwt, forgePaseto } from './forge.ts'

/** A token format, and what its contract needs to test it. */
export type Subject<Claims> = Readonly<{
  name: string
  format: TokenFormat<Claims>
  purpose: AcceptedPurpose
  claims: Claims
  anyClaims: fc.Arbitrary<Claims>
  /** The claims as they appear in a token. */
  written: (claims: Claims) => Readonly<Record<string, unknown>>
  /** A token with this payload, signed with the correct key. */
  forge: (key: SigningKey, payload: string | Uint8Array) => string
}>

const text = fc
  .array(fc.constantFrom('a', 'Z', '0', ' ', '"', '\\', '\0', 'é', '🛒', '.'), { maxLength: 12 })
  .map((all) => all.join(''))
const seconds = fc.nat(253_402_300_799) // until the end of the year 9999, the last that RFC 3339 can write

const jwtSubject: Subject<ApplicationTokenClaims> = {
  name: 'application tokens as JWT',
  format: jwtApplicationTokens(),
  purpose: 'application',
  claims: {
    iss: 'https://auth.example.com',
    sub: 'shop',
    client_id: 'shop',
    aud: 'https://auth.example.com',
    iat: 1_772_366_400,
    exp: 1_772_370_000,
    jti: 'token',
    scope: 'users:sign_in',
  },
  anyClaims: fc.record({
    iss: text,
    sub: text,
    client_id: text,
    aud: text,
    iat: seconds,
    exp: seconds,
    jti: text,
    scope: text,
  }),
  written: (claims) => claims,
  forge: (key, payload) => forgeJwt(key, payload),
}

/** How the user was authenticated. */
const ASSURANCE = { auth_time: 1_772_366_399, acr: 'aal1', amr: ['pwd'] }
const ANY_ASSURANCE = { auth_time: seconds, acr: text, amr: fc.array(text, { maxLength: 5 }) }

const userJwtSubject: Subject<UserJwtClaims> = {
  name: 'user tokens as JWT',
  format: jwtUserTokens(),
  purpose: 'user_jwt',
  claims: {
    iss: 'https://auth.example.com',
    sub: 'ada',
    aud: 'https://auth.example.com',
    client_id: 'shop',
    sid: 'session',
    iat: 1_772_366_400,
    exp: 1_772_409_600,
    jti: 'token',
    ...ASSURANCE,
  },
  anyClaims: fc.record({
    iss: text,
    sub: text,
    aud: text,
    client_id: text,
    sid: text,
    iat: seconds,
    exp: seconds,
    jti: text,
    ...ANY_ASSURANCE,
  }),
  written: (claims) => claims,
  forge: (key, payload) => forgeJwt(key, payload),
}

const pasetoSubject: Subject<UserTokenClaims> = {
  name: 'user tokens as PASETO',
  format: pasetoUserTokens(),
  purpose: 'user',
  claims: {
    iss: 'https://auth.example.com',
    sub: 'ada',
    sid: 'session',
    iat: 1_772_366_400,
    exp: 1_772_409_600,
    jti: 'token',
    ...ASSURANCE,
  },
  anyClaims: fc.record({
    iss: text,
    sub: text,
    sid: text,
    iat: seconds,
    exp: seconds,
    jti: text,
    ...ANY_ASSURANCE,
  }),
  written: ({ auth_time, ...claims }) => ({
    ...claims,
    iat: rfc3339OfSeconds(claims.iat),
    exp: rfc3339OfSeconds(claims.exp),
    auth_time: rfc3339OfSeconds(auth_time),
  }),
  forge: (key, payload) => forgePaseto(key, payload),
}

const rfc3339OfSeconds = (seconds: number): string => new Date(seconds * 1000).toISOString()

/** All formats, each with and without the cache of verified tokens. */
export const eachSubject = (run: <Claims>(subject: Subject<Claims>) => void): void => {
  run(jwtSubject)
  run(pasetoSubject)
  run(userJwtSubject)
  run({
    ...jwtSubject,
    name: `remembered ${jwtSubject.name}`,
    format: withTokenCache(jwtApplicationTokens()),
  })
  run({
    ...pasetoSubject,
    name: `remembered ${pasetoSubject.name}`,
    format: withTokenCache(pasetoUserTokens()),
  })
}

/** A new key of this format. */
export const newKey = async (
  { format, purpose }: Pick<Subject<unknown>, 'format' | 'purpose'>,
  id = 'key',
): Promise<SigningKey> => ({
  id,
  purpose,
  createdAtSeconds: 0,
  signsFromSeconds: 0,
  retiresAtSeconds: none,
  retired: false,
  version: 1,
  ...(await format.createKey()),
})
