import { constants, generateKeyPairSync, type KeyObject, sign } from 'node:crypto'
import { forgeJws, forgeJwt, jwtHeader, privateKeyOf } from '../forge.ts'
import {
  type Attack,
  expectAccepted,
  onUserJwts,
  refusesForged,
  type Target,
  underAttack,
} from '../target.ts'

const rsa = generateKeyPairSync('rsa', { modulusLength: 2048 }).privateKey
const elliptic = (namedCurve: string) => generateKeyPairSync('ec', { namedCurve }).privateKey

const pkcs1 = (hash: string) => (signed: Buffer) => sign(hash, signed, rsa)
const pss = (hash: string) => (signed: Buffer) =>
  sign(hash, signed, { key: rsa, padding: constants.RSA_PKCS1_PSS_PADDING, saltLength: 32 })
const ecdsa = (key: KeyObject, hash: string) => (signed: Buffer) =>
  sign(hash, signed, { key, dsaEncoding: 'ieee-p1363' })
const eddsa = (key: KeyObject) => (signed: Buffer) => sign(null, signed, key)

const ed448 = generateKeyPairSync('ed448').privateKey
const foreign = generateKeyPairSync('ed25519').privateKey
const p256 = elliptic('P-256')

/** Valid signatures by keys of the attacker. */
const ALGORITHMS: ReadonlyArray<readonly [alg: string, signature: (signed: Buffer) => Uint8Array]> = [
  ['RS256', pkcs1('sha256')],
  ['RS384', pkcs1('sha384')],
  ['RS512', pkcs1('sha512')],
  ['PS256', pss('sha256')],
  ['PS384', pss('sha384')],
  ['PS512', pss('sha512')],
  ['ES256', ecdsa(p256, 'sha256')],
  ['ES384', ecdsa(elliptic('P-384'), 'sha384')],
  ['ES512', ecdsa(elliptic('P-521'), 'sha512')],
  ['ES256K', ecdsa(elliptic('secp256k1'), 'sha256')],
  ['ES256 as DER', (signed) => sign('sha256', signed, p256)],
  ['Ed448', eddsa(ed448)],
  ['EdDSA', eddsa(foreign)],
  ['Ed25519', eddsa(foreign)],
  // r = s = 0: some ECDSA verifiers once accepted it for any message
  ['ES256 of zeros', () => Buffer.alloc(64)],
]

const withAlg = (target: Target, alg: string, signature: (signed: Buffer) => Uint8Array): string =>
  forgeJws(
    JSON.stringify({ ...jwtHeader(target.keys.application), alg }),
    JSON.stringify(target.application.claims),
    signature,
  )

const BY_ANOTHER_KEY: ReadonlyArray<Attack> = ALGORITHMS.flatMap(
  ([name, signature]): ReadonlyArray<Attack> => {
    const [alg = ''] = name.split(' ')
    const signed: Attack = [
      `${name} by another key under our kid`,
      (target) => withAlg(target, alg, signature),
    ]
    if (alg === 'EdDSA') return [signed]
    return [
      signed,
      [`${name} by another key under our kid as EdDSA`, (target) => withAlg(target, 'EdDSA', signature)],
      [
        `${name} in the header with a signature of our key`,
        (target) => withAlg(target, alg, eddsa(privateKeyOf(target.keys.application))),
      ],
    ]
  },
)

/** RFC 9864 names this algorithm Ed25519. The service uses the older name `EdDSA`, and each token has one spelling. */
const NAMES = [
  ...[
    'Ed25519',
    'ed25519',
    'eddsa',
    'EDDSA',
    'EdDSA ',
    ' EdDSA',
    'EdDSA\0',
    'EdDSA\u200b',
    'Ed25519ph',
    'EdDSA,none',
  ],
  ...['HS256', 'HS384', 'HS512', 'RSA1_5', 'dir', 'A256GCM', 'ML-DSA-44', '-8', '-19'],
]

describe('RFC 8725 §3.1 Perform Algorithm Verification (against §2.1): another algorithm', () => {
  const target = underAttack()

  refusesForged(target, BY_ANOTHER_KEY)
  refusesForged(target, onUserJwts(BY_ANOTHER_KEY))

  refusesForged(
    target,
    NAMES.map(
      (alg): Attack => [
        `alg ${JSON.stringify(alg)} with a signature of our key`,
        (t) => withAlg(t, alg, eddsa(privateKeyOf(t.keys.application))),
      ],
    ),
  )

  it('accepts the same token under the expected alg', async () => {
    const t = target()
    await expectAccepted(t, 'application', forgeJwt(t.keys.application, JSON.stringify(t.application.claims)))
  })
})
