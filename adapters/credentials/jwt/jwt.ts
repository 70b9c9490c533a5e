import * as E from 'fp-ts/lib/Either.js'
import { pipe } from 'fp-ts/lib/function.js'
import { none, some } from 'fp-ts/lib/Option.js'
import * as t from 'io-ts'
import type { InvalidToken, JwtFormat, KeyUnusable } from '../../../application/ports/token-format.ts'
import type { KeyPurpose, SigningKey } from '../../../domain/signing-key.ts'
import { canonicalBytes, jsonIn, utf8 } from '../signing/claims.ts'
import { ed25519, newEd25519, readOnce, thumbprint } from '../signing/ed25519.ts'

/** The beginning of every JWT whose header is JSON without spaces: `{"` and a letter, in base64url. */
export const JWT_PREFIX = 'eyJ'

/**
 * A kind of token as JWT: EdDSA only, `typ: at+jwt` (RFC 9068 §2.1), the claims of the codec, and the rules of RFC 8725.
 * A key's material is its private JWK.
 *
 * @param purpose keys of other purposes neither sign nor verify
 */
export const jwtFormat = <Claims>(
  purpose: KeyPurpose,
  codec: t.Type<Claims, unknown, unknown>,
): JwtFormat<Claims> => {
  const usable = readOnce((key) => (key.purpose === purpose ? readKey(key) : undefined))

  return {
    createKey: async () => {
      const { d, x } = newEd25519()
      return { kid: thumbprint({ x }), material: JSON.stringify({ kty: 'OKP', crv: 'Ed25519', x, d }) }
    },

    sign: (claims, key) => async () => {
      const pair = usable(key)
      if (pair === undefined) return unusable(key)
      const signed = `${pair.header}.${base64url(JSON.stringify(claims))}`
      const { sign } = await pair.signatures()
      return E.right(`${signed}.${sign(Buffer.from(signed)).toString('base64url')}`)
    },

    verify: (token, keys) => async () => {
      // The expected headers are known, so the header is compared and never interpreted: not its `alg`, not its `kid`.
      const [header = '', payload = '', signature = '', ...rest] = token.split('.')
      const pair = keys.map(usable).find((known) => known?.header === header)
      const [bytes, signed] = [canonicalBytes(payload), canonicalBytes(signature)]
      if (pair === undefined || bytes === undefined || signed === undefined || rest.length > 0) return INVALID
      const { verify } = await pair.signatures()
      if (!verify(Buffer.from(`${header}.${payload}`), signed)) return INVALID
      try {
        return pipe(codec.decode(JSON.parse(utf8.decode(bytes))), E.mapLeft(invalidToken))
      } catch {
        return INVALID
      }
    },

    keyIdOf: (token) => {
      const [header = '', ...rest] = token.split('.')
      const { kid } = jsonIn(header)
      return rest.length === 2 && typeof kid === 'string' && header === headerOf(kid) ? some(kid) : none
    },

    publicJwk: (key) => {
      const pair = usable(key)
      return pair === undefined
        ? unusable(key)
        : E.right({ kty: 'OKP', crv: 'Ed25519', x: pair.x, kid: key.kid, use: 'sig', alg: 'EdDSA' })
    },
  }
}

const invalidToken = (): InvalidToken => ({ _tag: 'InvalidToken' })

const INVALID = E.left(invalidToken())

const unusable = ({ kid }: SigningKey): E.Either<KeyUnusable, never> => E.left({ _tag: 'KeyUnusable', kid })

export const Seconds: t.Type<number, number, unknown> = new t.Type<number, number, unknown>(
  'Seconds',
  (u): u is number => Number.isSafeInteger(u),
  (u, context) => (Seconds.is(u) ? t.success(u) : t.failure(u, context)),
  t.identity,
)

const Material = t.strict({ kty: t.literal('OKP'), crv: t.literal('Ed25519'), x: t.string, d: t.string })

/** The key pair of a signing key, if it matches its key id, and the header of its tokens. */
const readKey = ({ kid, material }: SigningKey) =>
  pipe(
    E.tryCatch(
      () => JSON.parse(material),
      () => [],
    ),
    E.chain(Material.decode),
    E.map(({ d, x }) => (thumbprint({ x }) === kid ? ed25519(d, x) : undefined)),
    E.match(
      () => undefined,
      (pair) => pair && { ...pair, header: headerOf(kid) },
    ),
  )

const headerOf = (kid: string): string => base64url(JSON.stringify({ alg: 'EdDSA', typ: 'at+jwt', kid }))

const base64url = (text: string): string => Buffer.from(text).toString('base64url')
