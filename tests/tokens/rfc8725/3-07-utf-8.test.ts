import { expect } from 'chai'
import { jwtApplicationTokens } from '../../../adapters/credentials/jwt/application-tokens.ts'
import { pasetoUserTokens } from '../../../adapters/credentials/paseto/user-tokens.ts'
import { succeed } from '../../support/outcome.ts'
import { bytesOf, forgeJwt, forgePaseto, jwtHeader } from '../forge.ts'
import { type Attack, refusesForged, type Target, underAttack } from '../target.ts'

const utf32 = (text: string): Buffer =>
  Buffer.concat(
    [...text].map((character) => Buffer.from(new Uint32Array([character.codePointAt(0) ?? 0]).buffer)),
  )

/** The same text in bytes that are not its UTF-8. */
const ENCODINGS: ReadonlyArray<readonly [name: string, encode: (text: string) => Buffer]> = [
  ['little-endian UTF-16', (text) => Buffer.from(text, 'utf16le')],
  ['big-endian UTF-16', (text) => Buffer.from(text, 'utf16le').swap16()],
  ['UTF-16 with a byte order mark', (text) => Buffer.from(`\ufeff${text}`, 'utf16le')],
  ['UTF-32', utf32],
  ['UTF-8 with a trailing zero byte', (text) => Buffer.from(`${text}\0`)],
  ['UTF-8 in quotes', (text) => Buffer.from(JSON.stringify(text))],
  ['UTF-7', (text) => Buffer.from(text.replaceAll('{', '+AHs-'))],
  // 0xC1 0xBB is an overlong encoding of a brace.
  ['overlong UTF-8', (text) => Buffer.concat([Buffer.of(0xc1, 0xbb), Buffer.from(text.slice(1))])],
]

/** Invalid UTF-8 inside a text, where a lenient decoder inserts a replacement character. */
const NO_UTF8: ReadonlyArray<readonly [name: string, bytes: Buffer]> = [
  ['Latin-1', Buffer.of(0xe9)],
  ['a byte that starts no character', Buffer.of(0xff)],
  ['half a character', Buffer.of(0xe2, 0x82)],
  ['an overlong slash', Buffer.of(0xc0, 0xaf)],
  ['a surrogate', Buffer.of(0xed, 0xa0, 0x80)],
  ['a code point beyond U+10FFFF', Buffer.of(0xf4, 0x90, 0x80, 0x80)],
]

/** Texts that only lenient readers accept as JSON. */
const NO_JSON: ReadonlyArray<readonly [name: string, change: (text: string) => string]> = [
  ['with a comment', (text) => `${text}/* */`],
  ['with a trailing comma', (text) => text.replace('}', ',}')],
  ['with single quotes', (text) => text.replaceAll('"', "'")],
  ['with unquoted names', (text) => text.replace('"iss"', 'iss')],
  ['followed by a second text', (text) => text + text],
  ['with a control character in it', (text) => text.replace('"jti":"', '"jti":"\u0001')],
  ['with NaN', (text) => text.replace('{', '{"more":NaN,')],
  ['with a number in hexadecimal', (text) => text.replace('{', '{"more":0x10,')],
]

const claimsOf = ({ application }: Target): string => JSON.stringify(application.claims)

const written = ({ user }: Target): string => {
  const [, , body = ''] = user.token.split('.')
  return bytesOf(body).subarray(0, -64).toString()
}

const withBytes = (text: string, bytes: Buffer): Buffer => {
  const [before = '', after = ''] = text.replace('"jti":"', '"jti":"|').split('|')
  return Buffer.concat([Buffer.from(before), bytes, Buffer.from(after)])
}

const payloads = (
  text: (target: Target) => string,
): ReadonlyArray<readonly [string, (t: Target) => Buffer]> => [
  ...ENCODINGS.map(([name, encode]) => [`in ${name}`, (t: Target) => encode(text(t))] as const),
  ...NO_UTF8.map(
    ([name, bytes]) => [`with ${name} in them`, (t: Target) => withBytes(text(t), bytes)] as const,
  ),
  ...NO_JSON.map(([name, change]) => [name, (t: Target) => Buffer.from(change(text(t)))] as const),
]

describe('RFC 8725 §3.7 Use UTF-8 (against §2.6): claims signed by our key', () => {
  const target = underAttack()

  refusesForged(
    target,
    payloads(claimsOf).map(
      ([name, bytes]): Attack => [
        `those of an application token ${name}`,
        (t) => forgeJwt(t.keys.application, bytes(t)),
      ],
    ),
  )

  refusesForged(
    target,
    payloads(written).map(
      ([name, bytes]): Attack => [`those of a user token ${name}`, (t) => forgePaseto(t.keys.user, bytes(t))],
    ),
  )

  refusesForged(
    target,
    ENCODINGS.map(
      ([name, encode]): Attack => [
        `a header in ${name}`,
        (t) =>
          forgeJwt(t.keys.application, claimsOf(t), encode(JSON.stringify(jwtHeader(t.keys.application)))),
      ],
    ),
  )

  /** UTF-8 texts that every JSON reader reads as the same claims, or as one of two duplicates. */
  const SAME: ReadonlyArray<readonly [what: string, write: (text: string) => string]> = [
    ['with spaces and line feeds', (text) => text.replaceAll(',', ' ,\n')],
    ['with escapes', (text) => text.replace('"iss":"h', '"\\u0069ss":"\\u0068')],
    [
      'in another order',
      (text) => JSON.stringify(Object.fromEntries(Object.entries(JSON.parse(text)).reverse())),
    ],
    [
      'with a duplicate claim before them: the last one counts, RFC 7519 §4',
      (text) => text.replace('{', '{"sub":"x",'),
    ],
    ['after a byte order mark, which readers may ignore, RFC 8259 §8.1', (text) => `\ufeff${text}`],
  ]
  for (const [what, write] of SAME) {
    it(`are equal ${what}`, async () => {
      const { keys, application, user } = target()
      const jwt = forgeJwt(keys.application, write(claimsOf(target())))
      expect(await succeed(jwtApplicationTokens().verify(jwt, [keys.application]))).to.deep.equal(
        application.claims,
      )
      const paseto = forgePaseto(keys.user, write(written(target())))
      expect(await succeed(pasetoUserTokens().verify(paseto, [keys.user]))).to.deep.equal(user.claims)
    })
  }
})
