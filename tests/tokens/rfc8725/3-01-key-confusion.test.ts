import { createHmac, createPublicKey, type KeyObject } from 'node:crypto'
import { bytesOf, forgeJws, halvesOf, jwtHeader, privateKeyOf } from '../forge.ts'
import {
  type Attack,
  expectAccepted,
  onUserJwts,
  refusesForged,
  type Target,
  underAttack,
} from '../target.ts'

const publicKeyOf = ({ keys }: Target): KeyObject => createPublicKey(privateKeyOf(keys.application))

const spki = (target: Target): Buffer => publicKeyOf(target).export({ type: 'spki', format: 'der' })

const pem = (target: Target): string => String(publicKeyOf(target).export({ type: 'spki', format: 'pem' }))

const x = ({ keys }: Target): string => halvesOf(keys.application).x

/** Our public key in every form that a verifier might use as the secret of an HMAC. */
const PUBLIC_KEY: ReadonlyArray<
  readonly [form: string, secret: (target: Target) => string | Uint8Array | Promise<string>]
> = [
  ['its 32 bytes', (t) => bytesOf(x(t))],
  ['its 32 bytes in reverse', (t) => bytesOf(x(t)).reverse()],
  ['base64url', x],
  ['base64', (t) => bytesOf(x(t)).toString('base64')],
  ['hexadecimal', (t) => bytesOf(x(t)).toString('hex')],
  ['hexadecimal in capitals', (t) => bytesOf(x(t)).toString('hex').toUpperCase()],
  ['SPKI in DER', spki],
  ['SPKI in base64', (t) => spki(t).toString('base64')],
  ['PEM', pem],
  ['PEM without its last line feed', (t) => pem(t).trim()],
  ['PEM with CR LF', (t) => pem(t).replaceAll('\n', '\r\n')],
  ['a JWK', (t) => JSON.stringify(publicKeyOf(t).export({ format: 'jwk' }))],
  ['a JWK in the order of its thumbprint', (t) => JSON.stringify({ crv: 'Ed25519', kty: 'OKP', x: x(t) })],
  ['PASERK', (t) => `k4.public.${x(t)}`],
  ['its key id', ({ keys }) => keys.application.kid],
  ['the bytes of its key id', ({ keys }) => bytesOf(keys.application.kid)],
  ['the published key set', async (t) => JSON.stringify(await published(t))],
  ['the published key', async (t) => JSON.stringify((await published(t)).keys[0])],
]

const published = async ({ running }: Target) =>
  (await running.send({ method: 'GET', path: '/.well-known/jwks.json' })).body

const HMACS = [
  ['HS256', 'sha256'],
  ['HS384', 'sha384'],
  ['HS512', 'sha512'],
] as const

/** With a matching header, and with our own header for a verifier that selects by key. */
const CONFUSED: ReadonlyArray<Attack> = PUBLIC_KEY.flatMap(([form, secret]) =>
  HMACS.flatMap(([alg, hash]) =>
    [alg, 'EdDSA'].map(
      (named): Attack => [
        `${alg} with the public key as ${form} as the secret, alg ${named}`,
        async (target) => {
          const key = await secret(target)
          return forgeJws(
            JSON.stringify({ ...jwtHeader(target.keys.application), alg: named }),
            JSON.stringify(target.application.claims),
            (signed) => createHmac(hash, key).update(signed).digest(),
          )
        },
      ],
    ),
  ),
)

describe('RFC 8725 §3.1 Perform Algorithm Verification (against §2.1): the public key for a secret', () => {
  const target = underAttack()

  refusesForged(target, CONFUSED)
  refusesForged(target, onUserJwts(CONFUSED))

  it('accepts the signed token', async () => {
    await expectAccepted(target(), 'application', target().application.token)
  })
})
