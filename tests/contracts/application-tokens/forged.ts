import type { ApplicationTokens } from '../../../application/ports/token-format.ts'
import type { ApplicationTokenClaims } from '../../../domain/token.ts'
import { ok, refused } from '../outcome.ts'
import { INVALID } from '../token-format/keys.ts'
import { base64url, bytesOf, hmac, stranger } from '../token-format/web-crypto.ts'
import type { Check, Kind } from '../token-format.ts'
import { published } from './published.ts'

/** The algorithm and the key are never taken from a token (RFC 8725 §3.1). */
export const forgedJwtCases = (
  check: Check<ApplicationTokens>,
  { claims }: Kind<ApplicationTokenClaims>,
): void => {
  for (const [what, forge] of FORGERIES) {
    check(`a token is no good that ${what}`, async (tokens, key) => {
      const token = await ok(tokens.sign(claims, key))
      await ok(tokens.verify(token, [key]))
      const [header = '', payload = '', signature = ''] = token.split('.')
      const { x } = await published(tokens, key)
      const own = JSON.parse(Buffer.from(header, 'base64url').toString())
      for (const forged of await forge({ header: own, payload, signature, x }))
        await refused(tokens.verify(forged, [key]), INVALID, forged)
    })
  }
}

type Genuine = Readonly<{
  header: Readonly<Record<string, unknown>>
  payload: string
  signature: string
  /** The public key. */
  x: string
}>

/** A token under this header, with such a signature. */
const under = async (
  header: object,
  { payload }: Genuine,
  sign: (signed: string) => Promise<Uint8Array> | Uint8Array | string,
): Promise<string> => {
  const signed = `${base64url(JSON.stringify(header))}.${payload}`
  return `${signed}.${base64url(await sign(signed))}`
}

const FORGERIES: ReadonlyArray<
  readonly [what: string, forge: (genuine: Genuine) => Promise<ReadonlyArray<string>>]
> = [
  [
    'says it needs no signature',
    (genuine) =>
      Promise.all(
        ['none', 'None', 'NONE', ''].map((alg) => under({ ...genuine.header, alg }, genuine, () => '')),
      ),
  ],
  [
    'is signed with the public key for a shared secret',
    (genuine) => {
      const { x, header } = genuine
      const jwk = { kty: 'OKP', crv: 'Ed25519', x }
      const secrets = [x, bytesOf(x), JSON.stringify(jwk), JSON.stringify({ ...jwk, kid: header.kid })]
      return Promise.all(
        secrets.map((secret) =>
          under({ ...header, alg: 'HS256' }, genuine, (signed) => hmac(secret, signed)),
        ),
      )
    },
  ],
  [
    'names another algorithm',
    (genuine) =>
      Promise.all(
        ['HS256', 'RS256', 'ES256', 'Ed448', 'eddsa'].map((alg) =>
          under({ ...genuine.header, alg }, genuine, () => bytesOf(genuine.signature)),
        ),
      ),
  ],
  [
    'brings its own key along',
    async (genuine) => {
      const { jwk, sign } = await stranger()
      const signing = (signed: string) => sign(Buffer.from(signed))
      return Promise.all([
        under(genuine.header, genuine, signing),
        under({ ...genuine.header, jwk }, genuine, signing),
        under({ ...genuine.header, jwk: { ...jwk, kid: genuine.header.kid } }, genuine, signing),
      ])
    },
  ],
  [
    'leaves its signature out',
    async ({ header, payload }) => {
      const signed = `${base64url(JSON.stringify(header))}.${payload}`
      return [signed, `${signed}.`, `${signed}.AA`, `${signed}.${base64url(new Uint8Array(64))}`]
    },
  ],
]
