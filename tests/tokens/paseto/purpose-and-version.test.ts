import { createCipheriv, createHmac, hkdfSync, randomBytes } from 'node:crypto'
import { PAE } from 'paseto'
import { base64url, bytesOf, forgePaseto, halvesOf, pasetoFooter } from '../forge.ts'
import { type Attack, expectAccepted, refusesForged, type Target, underAttack } from '../target.ts'
import { OTHER_KINDS } from '../vectors/paseto-other-kinds.ts'
import { REFUSED, SIGNED } from '../vectors/paseto-v4-public.ts'
import { writtenClaims } from '../well-signed.ts'

const written = (target: Target): string => JSON.stringify(writtenClaims(target))

const HEADERS = [
  ...['v1', 'v2', 'v3', 'v4', 'v5', 'v6'].flatMap((version) => [`${version}.local.`, `${version}.public.`]),
  ...['V4.PUBLIC.', 'V4.public.', 'v4.Public.', 'v4.public', 'v4.', 'v4..', 'public.', '.public.', ''],
  ...[
    'v04.public.',
    'v4.0.public.',
    ' v4.public.',
    'v4.public. ',
    'v4.publicx.',
    'v\uff14.public.',
    'v4.public.v4.public.',
  ],
  ...[
    'k4.public.',
    'k4.secret.',
    'v4/public/',
    'v4-public-',
    'v4,public,',
    'jwt.public.',
    'v4.public.public.',
  ],
].filter((header) => header !== 'v4.public.')

/** The header is signed too: changed after signing, and signed as another kind. */
const UNDER_ANOTHER_HEADER: ReadonlyArray<Attack> = HEADERS.flatMap(
  (header): ReadonlyArray<Attack> => [
    [
      `a valid token whose header was replaced by ${JSON.stringify(header)}`,
      ({ user }) => user.token.replace('v4.public.', header),
    ],
    [
      `a token that our key signed as ${JSON.stringify(header)}`,
      (t) => forgePaseto(t.keys.user, written(t), { header }),
    ],
    [
      `a token that our key signed as ${JSON.stringify(header)}, with the correct header inserted afterwards`,
      (t) => forgePaseto(t.keys.user, written(t), { header }).replace(header, 'v4.public.'),
    ],
  ],
)

/**
 * Claims encrypted with our public key as the secret: what a verifier of `v3.local` would read (version 3
 * of the specification, §Encrypt, which needs nothing but AES and SHA-384). The body of `v4.local` has the same parts.
 */
const encrypted = (header: string, secret: (target: Target) => Uint8Array) => (target: Target) => {
  const nonce = randomBytes(32)
  const derive = (info: string) =>
    Buffer.from(hkdfSync('sha384', secret(target), '', Buffer.concat([Buffer.from(info), nonce]), 48))
  const keys = derive('paseto-encryption-key')
  const cipher = createCipheriv('aes-256-ctr', keys.subarray(0, 32), keys.subarray(32))
  const content = Buffer.concat([cipher.update(written(target)), cipher.final()])
  const footer = Buffer.from(pasetoFooter(target.keys.user))
  const tag = createHmac('sha384', derive('paseto-auth-key-for-aead'))
    .update(PAE([Buffer.from(header), nonce, content, footer, Buffer.alloc(0)]))
    .digest()
  return `${header}${base64url(Buffer.concat([nonce, content, tag]))}.${base64url(footer)}`
}

const publicHalf = ({ keys }: Target) => bytesOf(halvesOf(keys.user).x)
const secretHalf = ({ keys }: Target) => bytesOf(halvesOf(keys.user).d)

describe('a PASETO of another purpose or version', () => {
  const target = underAttack()

  refusesForged(target, UNDER_ANOTHER_HEADER)

  refusesForged(
    target,
    ['v3.local.', 'v4.local.', 'v4.public.'].flatMap(
      (header): ReadonlyArray<Attack> => [
        [`claims encrypted with our public key, as ${header}`, encrypted(header, publicHalf)],
        [`claims encrypted with our secret key, as ${header}`, encrypted(header, secretHalf)],
      ],
    ),
  )

  refusesForged(
    target,
    [...OTHER_KINDS, ...SIGNED, ...REFUSED].flatMap(
      ({ name, token }): ReadonlyArray<Attack> => [
        [`the published vector ${name}`, () => token],
        [
          `the published vector ${name} with our footer`,
          ({ keys }) => [...token.split('.').slice(0, 3), base64url(pasetoFooter(keys.user))].join('.'),
        ],
        [
          `the published vector ${name} with our header and footer`,
          ({ keys }) => `v4.public.${token.split('.')[2]}.${base64url(pasetoFooter(keys.user))}`,
        ],
      ],
    ),
  )

  it('is accepted as v4.public', async () => {
    await expectAccepted(target(), 'user', forgePaseto(target().keys.user, written(target())))
  })
})
