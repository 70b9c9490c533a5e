import { createHash, generateKeyPairSync } from 'node:crypto'
import { CompactEncrypt, type CompactJWEHeaderParameters } from 'jose'
import { base64url, bytesOf, forgeJwt, halvesOf, jwtHeader } from '../forge.ts'
import { type Attack, expectAccepted, refusesForged, type Target, underAttack } from '../target.ts'

/**
 * A token is one signature over one set of claims: not nested, not encrypted, in one serialization. So there is
 * no operation to leave out, and a token with more operations is refused.
 */

const rsa = generateKeyPairSync('rsa', { modulusLength: 2048 }).publicKey

const encrypted = (
  content: string,
  header: CompactJWEHeaderParameters,
  key: Parameters<CompactEncrypt['encrypt']>[0],
): Promise<string> => new CompactEncrypt(Buffer.from(content)).setProtectedHeader(header).encrypt(key)

/** The public part of our key, as a 256-bit key. */
const publicBytes = ({ keys }: Target): Buffer => bytesOf(halvesOf(keys.application).x)

const ENCRYPTED: ReadonlyArray<Attack> = [
  [
    'a valid token encrypted with our public key',
    (t) => encrypted(t.application.token, { alg: 'dir', enc: 'A256GCM', cty: 'JWT' }, publicBytes(t)),
  ],
  [
    'claims encrypted with our public key, under our header',
    (t) =>
      encrypted(
        JSON.stringify(t.application.claims),
        { ...jwtHeader(t.keys.application), alg: 'dir', enc: 'A256GCM' },
        publicBytes(t),
      ),
  ],
  [
    'a valid token encrypted to an RSA key',
    (t) => encrypted(t.application.token, { alg: 'RSA-OAEP-256', enc: 'A256GCM', cty: 'JWT' }, rsa),
  ],
  [
    'a valid token encrypted with a hash of our public key',
    (t) =>
      encrypted(
        t.application.token,
        { alg: 'A256KW', enc: 'A256GCM', cty: 'JWT' },
        createHash('sha256').update(publicBytes(t)).digest(),
      ),
  ],
  ['five parts, of which three are valid', (t) => `${t.application.token}.AA.AA`],
  ['five parts, of which the last three are valid', (t) => `AA.AA.${t.application.token}`],
  ['a user token encrypted', (t) => encrypted(t.user.token, { alg: 'dir', enc: 'A256GCM' }, publicBytes(t))],
]

const NESTED: ReadonlyArray<Attack> = [
  [
    'a valid token signed again and marked as nested',
    ({ keys, application }) =>
      forgeJwt(
        keys.application,
        application.token,
        JSON.stringify({ ...jwtHeader(keys.application), cty: 'JWT' }),
      ),
  ],
  ['a valid token signed again', ({ keys, application }) => forgeJwt(keys.application, application.token)],
  [
    'a valid token signed again as a JSON text',
    ({ keys, application }) => forgeJwt(keys.application, JSON.stringify(application.token)),
  ],
  ['a user token in an application token', ({ keys, user }) => forgeJwt(keys.application, user.token)],
  [
    'a forged token in one of ours',
    ({ keys, application }) =>
      forgeJwt(
        keys.application,
        `${base64url('{"alg":"none"}')}.${base64url(JSON.stringify(application.claims))}.`,
        JSON.stringify({ ...jwtHeader(keys.application), cty: 'JWT' }),
      ),
  ],
]

/** The JSON serializations of RFC 7515 §7.2: other spellings that allow several signatures. */
const serialized = (make: (header: string, payload: string, signature: string) => unknown) => (t: Target) => {
  const [header = '', payload = '', signature = ''] = t.application.token.split('.')
  return JSON.stringify(make(header, payload, signature))
}

const SERIALIZED: ReadonlyArray<Attack> = [
  [
    'the flattened JSON serialization',
    serialized((header, payload, signature) => ({ protected: header, payload, signature })),
  ],
  [
    'the general JSON serialization',
    serialized((header, payload, signature) => ({ payload, signatures: [{ protected: header, signature }] })),
  ],
  [
    'the general JSON serialization with a second signature',
    serialized((header, payload, signature) => ({
      payload,
      signatures: [
        { protected: header, signature },
        { protected: base64url('{"alg":"none"}'), signature: '' },
      ],
    })),
  ],
  [
    'the flattened JSON serialization with an unprotected header',
    serialized((header, payload, signature) => ({
      protected: header,
      header: { alg: 'none' },
      payload,
      signature,
    })),
  ],
  [
    'the flattened JSON serialization in base64url',
    (t) =>
      base64url(serialized((header, payload, signature) => ({ protected: header, payload, signature }))(t)),
  ],
  ['a JSON text of the token', (t) => JSON.stringify(t.application.token)],
  ['a JSON list of the token', (t) => JSON.stringify([t.application.token])],
]

/** RFC 7797 and RFC 7515 appendix F: detached and unencoded payloads. */
const DETACHED: ReadonlyArray<Attack> = [
  ['a detached payload', (t) => t.application.token.split('.').with(1, '').join('.')],
  [
    'an unencoded payload',
    ({ keys, application }) => {
      const header = JSON.stringify({ ...jwtHeader(keys.application), b64: false, crit: ['b64'] })
      const [encodedHeader, , signature] = forgeJwt(
        keys.application,
        JSON.stringify(application.claims),
        header,
      ).split('.')
      return `${encodedHeader}.${JSON.stringify(application.claims)}.${signature}`
    },
  ],
  [
    'b64: false with an encoded payload',
    ({ keys, application }) =>
      forgeJwt(
        keys.application,
        JSON.stringify(application.claims),
        JSON.stringify({ ...jwtHeader(keys.application), b64: false, crit: ['b64'] }),
      ),
  ],
]

describe('RFC 8725 §3.3 Validate All Cryptographic Operations (against §2.3)', () => {
  const target = underAttack()

  refusesForged(target, ENCRYPTED)
  refusesForged(target, NESTED)
  refusesForged(target, SERIALIZED)
  refusesForged(target, DETACHED)

  it('accepts one signature over the claims', async () => {
    await expectAccepted(target(), 'application', target().application.token)
  })
})
