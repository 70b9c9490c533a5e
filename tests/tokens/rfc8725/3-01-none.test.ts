import { sign } from 'node:crypto'
import { base64url, forgeJws, jwtHeader, privateKeyOf } from '../forge.ts'
import {
  type Attack,
  expectAccepted,
  onUserJwts,
  refusesForged,
  type Target,
  underAttack,
} from '../target.ts'

/** Spellings of "not signed", and values that a parser might read as such. */
const NONE: ReadonlyArray<unknown> = [
  ...[
    'none',
    'None',
    'NONE',
    'nOnE',
    'none ',
    ' none',
    'none\0',
    'n\u043ene',
    '',
    ' ',
    'null',
    'undefined',
    'false',
  ],
  ...[null, false, true, 0, [], {}, ['none'], ['EdDSA'], ['EdDSA', 'none'], { name: 'EdDSA' }],
]

const SIGNATURES: ReadonlyArray<
  readonly [name: string, make: (target: Target, signed: Buffer) => Uint8Array]
> = [
  ['no signature', () => Buffer.alloc(0)],
  ['one zero byte', () => Buffer.alloc(1)],
  ['64 zero bytes', () => Buffer.alloc(64)],
  ['the correct signature', ({ keys }, signed) => sign(null, signed, privateKeyOf(keys.application))],
]

const claimsOf = ({ application }: Target): string => JSON.stringify(application.claims)

const NOT_SIGNED: ReadonlyArray<Attack> = NONE.flatMap((alg) =>
  SIGNATURES.map(
    ([signature, make]): Attack => [
      `alg ${JSON.stringify(alg)} and ${signature}`,
      (target) =>
        forgeJws(JSON.stringify({ ...jwtHeader(target.keys.application), alg }), claimsOf(target), (signed) =>
          make(target, signed),
        ),
    ],
  ),
)

describe('RFC 8725 §3.1 Perform Algorithm Verification (against §2.1): no signature', () => {
  const target = underAttack()

  refusesForged(target, NOT_SIGNED)
  refusesForged(target, onUserJwts(NOT_SIGNED))

  refusesForged(target, [
    [
      'alg none without the last dot',
      (t) =>
        `${base64url(JSON.stringify({ ...jwtHeader(t.keys.application), alg: 'none' }))}.${base64url(claimsOf(t))}`,
    ],
    ['no alg at all', (t) => forgeJws(JSON.stringify({ typ: 'at+jwt' }), claimsOf(t), () => '')],
    [
      'no alg, and the correct signature',
      ({ keys, application }) => {
        const { alg: _, ...header } = jwtHeader(keys.application)
        return forgeJws(JSON.stringify(header), JSON.stringify(application.claims), (signed) =>
          sign(null, signed, privateKeyOf(keys.application)),
        )
      },
    ],
    [
      'the correct header and no signature',
      (t) => `${t.application.token.split('.').slice(0, 2).join('.')}.`,
    ],
    ['the correct header and no third part', (t) => t.application.token.split('.').slice(0, 2).join('.')],
    [
      'alg none in an unprotected second header',
      (t) => `${t.application.token.split('.').slice(0, 2).join('.')}..${base64url('{"alg":"none"}')}`,
    ],
    ['a user token without its signature', (t) => withoutSignature(t.user.token)],
  ])

  it('accepts the signed token', async () => {
    await expectAccepted(target(), 'application', target().application.token)
    await expectAccepted(target(), 'user', target().user.token)
  })
})

const withoutSignature = (paseto: string): string => {
  const [version, purpose, body = '', footer] = paseto.split('.')
  return [version, purpose, base64url(Buffer.from(body, 'base64url').subarray(0, -64)), footer].join('.')
}
