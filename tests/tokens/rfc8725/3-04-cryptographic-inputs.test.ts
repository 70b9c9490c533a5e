import { bytesOfNumber, L, numberOf, P, SMALL_ORDER } from '../curve.ts'
import { base64url, bytesOf } from '../forge.ts'
import { type Attack, expectAccepted, refusesForged, type Target, underAttack } from '../target.ts'
import { ED25519_VECTORS } from '../vectors/wycheproof-ed25519.ts'

/**
 * A verification has two inputs. The keys are ours and are checked when read (`../keys.test.ts`). The signature
 * comes from the client: two numbers, R and S, with one valid spelling each (RFC 8032, §5.1.7). There is no key
 * agreement, so no points of other parties. A token that needs one is refused.
 */

type Change = (signature: Buffer) => Uint8Array

const changedS =
  (change: (s: bigint) => bigint): Change =>
  (signature) =>
    Buffer.concat([signature.subarray(0, 32), bytesOfNumber(change(numberOf(signature.subarray(32))))])

const changedR =
  (r: Uint8Array, s?: Uint8Array): Change =>
  (signature) =>
    Buffer.concat([r, s ?? signature.subarray(32)])

const CHANGES: ReadonlyArray<readonly [what: string, change: Change]> = [
  ['S + L', changedS((s) => s + L)],
  ['S + 2 L', changedS((s) => s + 2n * L)],
  ['S + 4 L', changedS((s) => s + 4n * L)],
  ['S + 8 L', changedS((s) => s + 8n * L)],
  ['L - S', changedS((s) => L - s)],
  ['S + p', changedS((s) => s + P)],
  ...[253n, 254n, 255n].map((bit) => [`bit ${bit} of S set`, changedS((s) => s + 2n ** bit)] as const),
  ['S = 0', changedS(() => 0n)],
  ['S = L', changedS(() => L)],
  ['the sign bit of R flipped', (signature) => signature.with(31, (signature[31] ?? 0) ^ 0x80)],
  ['R with all bits set', changedR(Buffer.alloc(32, 0xff))],
  ...SMALL_ORDER.flatMap(([what, r]) => [
    [`R ${what}`, changedR(r)] as const,
    [`R ${what} and S = 0`, changedR(r, Buffer.alloc(32))] as const,
  ]),
  ['64 zero bytes', () => Buffer.alloc(64)],
  ['R and S exchanged', (signature) => Buffer.concat([signature.subarray(32), signature.subarray(0, 32)])],
  ['its bytes in reverse', (signature) => Buffer.from(signature).reverse()],
  ['no bytes', () => Buffer.alloc(0)],
  ['R only', (signature) => signature.subarray(0, 32)],
  ['63 bytes', (signature) => signature.subarray(0, 63)],
  ['a leading zero byte', (signature) => Buffer.concat([Buffer.alloc(1), signature])],
  ['a trailing zero byte', (signature) => Buffer.concat([signature, Buffer.alloc(1)])],
  [
    'a zero byte before S',
    (signature) => Buffer.concat([signature.subarray(0, 32), Buffer.alloc(1), signature.subarray(32)]),
  ],
  ['the signature twice', (signature) => Buffer.concat([signature, signature])],
  ['the signature in DER', (signature) => Buffer.concat([Buffer.of(0x04, 64), signature])],
  ...ED25519_VECTORS.filter(({ flag }) => flag === 'InvalidSignature').map(
    ({ id, signature }) => [`the edge case of Wycheproof vector ${id}`, () => signature] as const,
  ),
]

const jwtWith =
  (change: Change) =>
  ({ application }: Target) => {
    const [header, payload, signature = ''] = application.token.split('.')
    return [header, payload, base64url(change(bytesOf(signature)))].join('.')
  }

const pasetoWith =
  (change: Change) =>
  ({ user }: Target) => {
    const [version, purpose, body = '', footer] = user.token.split('.')
    const [message, signature] = [bytesOf(body).subarray(0, -64), bytesOf(body).subarray(-64)]
    return [version, purpose, base64url(Buffer.concat([message, change(signature)])), footer].join('.')
  }

describe('RFC 8725 §3.4 Validate Cryptographic Inputs (against §2.5): the signature of an application token', () => {
  const target = underAttack()

  refusesForged(
    target,
    CHANGES.map(([what, change]): Attack => [what, jwtWith(change)]),
  )

  it('accepts the original signature', async () => {
    await expectAccepted(target(), 'application', jwtWith((signature) => signature)(target()))
  })
})

describe('RFC 8725 §3.4 Validate Cryptographic Inputs (against §2.5): the signature of a user token', () => {
  const target = underAttack()

  refusesForged(
    target,
    CHANGES.map(([what, change]): Attack => [what, pasetoWith(change)]),
  )

  it('accepts the original signature', async () => {
    await expectAccepted(target(), 'user', pasetoWith((signature) => signature)(target()))
  })
})

/** Ephemeral keys that reveal the secret of a recipient with key agreement. */
const EPHEMERAL_KEYS: ReadonlyArray<readonly [what: string, epk: object]> = [
  [
    'a point outside P-256',
    { kty: 'EC', crv: 'P-256', x: base64url(Buffer.alloc(32, 1)), y: base64url(Buffer.alloc(32, 1)) },
  ],
  [
    'the zero point',
    { kty: 'EC', crv: 'P-256', x: base64url(Buffer.alloc(32)), y: base64url(Buffer.alloc(32)) },
  ],
  ['a point of X25519 of small order', { kty: 'OKP', crv: 'X25519', x: base64url(Buffer.alloc(32)) }],
  ['a key of another curve', { kty: 'OKP', crv: 'Ed25519', x: base64url(Buffer.alloc(32, 1)) }],
  ['nothing', {}],
]

describe('RFC 8725 §3.4 Validate Cryptographic Inputs (against §2.5): key agreement, which is not supported', () => {
  const target = underAttack()

  refusesForged(
    target,
    EPHEMERAL_KEYS.map(
      ([what, epk]): Attack => [
        `ECDH-ES with ${what}`,
        ({ keys }) => {
          const header = { alg: 'ECDH-ES', enc: 'A256GCM', kid: keys.application.kid, epk }
          return [JSON.stringify(header), '', 'initial vect', 'claims', 'sixteen bytes tag']
            .map(base64url)
            .join('.')
        },
      ],
    ),
  )
})
