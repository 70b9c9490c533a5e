import { createHmac } from 'node:crypto'
import { expect } from 'chai'
import { CompactEncrypt } from 'jose'
import { jwtApplicationTokens } from '../../../adapters/credentials/jwt/application-tokens.ts'
import { pasetoUserTokens } from '../../../adapters/credentials/paseto/user-tokens.ts'
import { aKey } from '../../testkit/builders.ts'
import { base64url, bytesOf, forgeJws, halvesOf, jwtHeader } from '../forge.ts'
import { type Attack, refusesForged, type Target, underAttack } from '../target.ts'

/** Common secrets, and what an attacker knows about the service. */
const GUESSES: ReadonlyArray<readonly [what: string, secret: (target: Target) => string]> = [
  ...['', '\0', 'secret', 'password', 'changeme', 'your-256-bit-secret', 'portcullis'].map(
    (word) => [JSON.stringify(word), () => word] as const,
  ),
  ['the issuer', ({ application }) => application.claims.iss],
  ["the application's id", ({ application }) => application.claims.sub],
  ["the application's public API key", ({ running }) => running.keys.public_api_key],
  ["the application's private API key", ({ running }) => running.keys.private_api_key],
  ["the user's password", ({ running }) => running.user.password],
]

const HMAC: ReadonlyArray<Attack> = GUESSES.map(([what, secret]) => [
  `HS256 with ${what} as the secret`,
  (t) =>
    forgeJws(
      JSON.stringify({ ...jwtHeader(t.keys.application), alg: 'HS256' }),
      JSON.stringify(t.application.claims),
      (signed) => createHmac('sha256', secret(t)).update(signed).digest(),
    ),
])

/** No key is derived from a password. A draft successor of the RFC adds the count, which costs CPU time on request. */
const PASSWORD_DERIVED: ReadonlyArray<Attack> = [
  [
    "a good token encrypted with the user's password",
    ({ application, running }) =>
      new CompactEncrypt(Buffer.from(application.token))
        .setProtectedHeader({ alg: 'PBES2-HS256+A128KW', enc: 'A128GCM' })
        .encrypt(Buffer.from(running.user.password)),
  ],
  ...[0, 1, 2 ** 31 - 1, 1e15].map(
    (p2c): Attack => [
      `a password hashed ${p2c} times`,
      ({ keys }) =>
        [
          JSON.stringify({
            alg: 'PBES2-HS512+A256KW',
            enc: 'A256GCM',
            p2s: 'c2FsdA',
            p2c,
            kid: keys.application.kid,
          }),
          ...['encrypted key', 'initial vect', 'claims', 'sixteen bytes tag'],
        ]
          .map(base64url)
          .join('.'),
    ],
  ),
]

describe('RFC 8725 §3.5 Ensure Cryptographic Keys Have Sufficient Entropy (against §2.2)', () => {
  const target = underAttack()

  refusesForged(target, HMAC)
  refusesForged(target, PASSWORD_DERIVED)

  for (const [purpose, format] of [
    ['application', jwtApplicationTokens()],
    ['user', pasetoUserTokens()],
  ] as const) {
    it(`makes 256-bit keys for ${purpose} tokens in which every bit varies`, async () => {
      const KEYS = 64 // a random bit is equal in all keys with a chance of 1 in 2^63
      const secrets = await Promise.all(
        Array.from({ length: KEYS }, async () =>
          bytesOf(halvesOf(aKey({ purpose, ...(await format.createKey()) })).d),
        ),
      )
      for (const secret of secrets) expect(secret).to.have.length(32)
      const set = Array.from(
        { length: 256 },
        (_, bit) => secrets.filter((secret) => isSet(secret, bit)).length,
      )
      expect(set.filter((count) => count === 0 || count === KEYS)).to.deep.equal([])
    })
  }
})

const isSet = (bytes: Buffer, bit: number): boolean => (((bytes[bit >> 3] ?? 0) >> (bit & 7)) & 1) === 1
