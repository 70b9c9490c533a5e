import type { JwtFormat } from '../../../application/ports/token-format.ts'
import type { Forgery } from '../token-format/forged.ts'
import { base64url, bytesOf, hmac, stranger } from '../token-format/web-crypto.ts'
import { type Jwt, parse, signedOf } from './jwt.ts'
import { published } from './published.ts'

type Sign = (signed: string) => Promise<Uint8Array> | Uint8Array | string

/** A token under this header, with such a signature. */
const under = async (header: object, genuine: Jwt, sign: Sign): Promise<string> => {
  const signed = signedOf(header, genuine)
  return `${signed}.${base64url(await sign(signed))}`
}

export const JWT_FORGERIES: ReadonlyArray<Forgery<Pick<JwtFormat<never>, 'publicJwk'>>> = [
  [
    'says it needs no signature',
    async (token) => {
      const genuine = parse(token)
      const algorithms = ['none', 'None', 'NONE', '']
      return Promise.all(algorithms.map((alg) => under({ ...genuine.header, alg }, genuine, () => '')))
    },
  ],
  [
    'is signed with the public key for a shared secret',
    async (token, tokens, key) => {
      const genuine = parse(token)
      const { x } = await published(tokens, key)
      const jwk = { kty: 'OKP', crv: 'Ed25519', x }
      const secrets = [
        x,
        bytesOf(x),
        JSON.stringify(jwk),
        JSON.stringify({ ...jwk, kid: genuine.header.kid }),
      ]
      const header = { ...genuine.header, alg: 'HS256' }
      return Promise.all(secrets.map((secret) => under(header, genuine, (signed) => hmac(secret, signed))))
    },
  ],
  [
    'names another algorithm',
    async (token) => {
      const genuine = parse(token)
      const signature = bytesOf(genuine.signature)
      const algorithms = ['HS256', 'RS256', 'ES256', 'Ed448', 'eddsa']
      return Promise.all(algorithms.map((alg) => under({ ...genuine.header, alg }, genuine, () => signature)))
    },
  ],
  [
    'brings its own key along',
    async (token) => {
      const genuine = parse(token)
      const { header } = genuine
      const { jwk, sign } = await stranger()
      const headers = [header, { ...header, jwk }, { ...header, jwk: { ...jwk, kid: header.kid } }]
      return Promise.all(
        headers.map((forged) => under(forged, genuine, (signed) => sign(Buffer.from(signed)))),
      )
    },
  ],
  [
    'leaves its signature out',
    async (token) => {
      const genuine = parse(token)
      const signed = signedOf(genuine.header, genuine)
      return [signed, `${signed}.`, `${signed}.AA`, `${signed}.${base64url(new Uint8Array(64))}`]
    },
  ],
]
