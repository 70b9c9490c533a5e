import { createCipheriv } from 'node:crypto'
import { deflateRawSync, deflateSync, gzipSync } from 'node:zlib'
import { expect } from 'chai'
import { base64url, bytesOf, forgeJwt, forgePaseto, halvesOf, jwtHeader } from '../forge.ts'
import { type Attack, expectAccepted, refusesForged, type Target, underAttack } from '../target.ts'

/**
 * Tokens are signed and not encrypted, so their length reveals nothing. Nothing is decompressed, so no small token
 * becomes large (a draft successor of the RFC adds this case).
 */

const COMPRESSIONS: ReadonlyArray<readonly [name: string, compress: (text: string) => Buffer]> = [
  ['DEFLATE', (text) => deflateRawSync(text)],
  ['zlib', (text) => deflateSync(text)],
  ['gzip', (text) => gzipSync(text)],
]

const claimsOf = ({ application }: Target): string => JSON.stringify(application.claims)

const writtenByUser = ({ user }: Target): string => {
  const [, , body = ''] = user.token.split('.')
  return bytesOf(body).subarray(0, -64).toString()
}

const SIGNED: ReadonlyArray<Attack> = [
  [
    'a zip header over uncompressed claims',
    (t) =>
      forgeJwt(
        t.keys.application,
        claimsOf(t),
        JSON.stringify({ ...jwtHeader(t.keys.application), zip: 'DEF' }),
      ),
  ],
  ...COMPRESSIONS.flatMap(
    ([name, compress]): ReadonlyArray<Attack> => [
      [
        `claims in ${name} under a zip header`,
        (t) =>
          forgeJwt(
            t.keys.application,
            compress(claimsOf(t)),
            JSON.stringify({ ...jwtHeader(t.keys.application), zip: 'DEF' }),
          ),
      ],
      [`claims in ${name} under our header`, (t) => forgeJwt(t.keys.application, compress(claimsOf(t)))],
      [`claims of a user token in ${name}`, (t) => forgePaseto(t.keys.user, compress(writtenByUser(t)))],
    ],
  ),
]

/** Eight million spaces before the claims, compressed to eight thousand bytes and encrypted with public values. */
const bomb = (t: Target): string => {
  const header = base64url(
    JSON.stringify({ alg: 'dir', enc: 'A256GCM', zip: 'DEF', kid: t.keys.application.kid }),
  )
  const vector = Buffer.alloc(12)
  const cipher = createCipheriv('aes-256-gcm', bytesOf(halvesOf(t.keys.application).x), vector)
  cipher.setAAD(Buffer.from(header))
  const content = Buffer.concat([
    cipher.update(deflateRawSync(' '.repeat(8_000_000) + claimsOf(t))),
    cipher.final(),
  ])
  return [header, '', ...[vector, content, cipher.getAuthTag()].map(base64url)].join('.')
}

describe('RFC 8725 §3.6 Avoid Compression of Encryption Inputs (against §2.4)', () => {
  const target = underAttack()

  refusesForged(target, SIGNED)
  refusesForged(target, [['a small encrypted token that would decompress to a large one', bomb]])

  it('signs uncompressed claims', async () => {
    const [, payload = ''] = target().application.token.split('.')
    expect(JSON.parse(bytesOf(payload).toString())).to.deep.equal(target().application.claims)
    expect(JSON.parse(writtenByUser(target()))).to.include({ sub: target().user.claims.sub })
  })

  it('accepts uncompressed claims', async () => {
    const t = target()
    await expectAccepted(t, 'application', forgeJwt(t.keys.application, claimsOf(t)))
    await expectAccepted(t, 'user', forgePaseto(t.keys.user, writtenByUser(t)))
  })
})
