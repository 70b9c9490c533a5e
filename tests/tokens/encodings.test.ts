import { expect } from 'chai'
import { base64url, bytesOf } from './forge.ts'
import { type Attack, expectAccepted, expectForged, refusesForged, underAttack } from './target.ts'
import { wellSigned } from './well-signed.ts'

const ALPHABET = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_'

/** The whole token in another encoding. */
const WHOLE: ReadonlyArray<readonly [what: string, write: (token: string) => string]> = [
  ['with its dots percent-encoded', (token) => token.replaceAll('.', '%2E')],
  [
    'with its first letter percent-encoded',
    (token) => `%${token.charCodeAt(0).toString(16)}${token.slice(1)}`,
  ],
  [
    'with every character percent-encoded',
    (token) => Buffer.from(token).toString('hex').replace(/../g, '%$&'),
  ],
  ['with a JSON escape', (token) => `\\u00${token.charCodeAt(0).toString(16)}${token.slice(1)}`],
  ['with an HTML entity', (token) => `&#${token.charCodeAt(0)};${token.slice(1)}`],
  ['in the alphabet of base64', (token) => token.replaceAll('-', '+').replaceAll('_', '/')],
  ['with a comma for a hyphen', (token) => token.replaceAll('-', ',')],
  ['in capitals', (token) => token.toUpperCase()],
  ['in lower case', (token) => token.toLowerCase()],
  ['backwards', (token) => [...token].reverse().join('')],
  ['in base64url', (token) => base64url(token)],
  ['in base64', (token) => Buffer.from(token).toString('base64')],
  ['in hexadecimal', (token) => Buffer.from(token).toString('hex')],
  [
    'in full-width letters',
    (token) => token.replace(/[!-~]/g, (c) => String.fromCharCode(c.charCodeAt(0) + 0xfee0)),
  ],
  [
    'with one full-width letter',
    (token) => String.fromCharCode(token.charCodeAt(0) + 0xfee0) + token.slice(1),
  ],
  ['with full-width dots', (token) => token.replaceAll('.', '\uff0e')],
  ['with ideographic full stops', (token) => token.replaceAll('.', '\u3002')],
  ['with one letter in mathematical bold', (token) => token.replace('e', '\u{1d41e}')],
  ['with a look-alike letter', (token) => token.replace('e', '\u0435')],
  ['with a combining accent', (token) => token.replace('e', 'e\u0301')],
  ['with a zero-width joiner', (token) => `${token.slice(0, 9)}\u200d${token.slice(9)}`],
  ['with a soft hyphen', (token) => `${token.slice(0, 9)}\u00ad${token.slice(9)}`],
  ['with a byte order mark before it', (token) => `\ufeff${token}`],
  ['with a trailing zero byte', (token) => `${token}\0`],
  ['with a zero byte in it', (token) => `${token.slice(0, 9)}\0${token.slice(9)}`],
  ['with a space before it', (token) => ` ${token}`],
  ['with a trailing space', (token) => `${token} `],
  ['with spaces around its dots', (token) => token.replaceAll('.', ' . ')],
  ['with a tab in it', (token) => `${token.slice(0, 9)}\t${token.slice(9)}`],
  ['in lines of 64 characters', (token) => token.replace(/.{64}/g, '$&\n')],
  ['in lines of 64 characters that end in CR LF', (token) => token.replace(/.{64}/g, '$&\r\n')],
  ['with a line folded', (token) => `${token.slice(0, 9)}\r\n ${token.slice(9)}`],
  ['in quotes', (token) => `"${token}"`],
  ['in angle brackets', (token) => `<${token}>`],
  ['after a second scheme', (token) => `Bearer ${token}`],
  ['twice', (token) => token + token],
  ['twice with a comma', (token) => `${token},${token}`],
  ['twice with a space', (token) => `${token} ${token}`],
  ['twice with a dot', (token) => `${token}.${token}`],
  ['with a dot before it', (token) => `.${token}`],
  ['with a trailing dot', (token) => `${token}.`],
  ['with two dots for one', (token) => token.replace('.', '..')],
  ['with a query parameter', (token) => `${token}?x=1`],
  ['with a fragment', (token) => `${token}#x`],
  [
    'with a tilde and a disclosure at its end',
    (token) => `${token}~${base64url('["salt","scope","admin"]')}~`,
  ],
  ['without its last character', (token) => token.slice(0, -1)],
  ['without its first character', (token) => token.slice(1)],
  ['with an extra character', (token) => `${token}A`],
]

/** One base64url part in a spelling that lenient decoders read as the same bytes. */
const PART: ReadonlyArray<readonly [what: string, write: (part: string) => string]> = [
  ['padded', (part) => part.padEnd(Math.ceil(part.length / 4) * 4 + (part.length % 4 === 0 ? 4 : 0), '=')],
  ['with one equals sign', (part) => `${part}=`],
  ['with four equals signs', (part) => `${part}====`],
  ['with an equals sign in it', (part) => `${part.slice(0, 4)}=${part.slice(4)}`],
  ['with a space in it', (part) => `${part.slice(0, 4)} ${part.slice(4)}`],
  ['with spaces before it', (part) => `    ${part}`],
  ['with a line feed in it', (part) => `${part.slice(0, 4)}\n${part.slice(4)}`],
  ['with a line break of MIME', (part) => `${part.slice(0, 4)}\r\n${part.slice(4)}`],
  ['with a character outside the alphabet', (part) => `${part.slice(0, 4)}?${part.slice(4)}`],
  ['with such characters at its end', (part) => `${part}####`],
  ['with such a character at its start', (part) => `*${part}`],
  ['with a letter outside ASCII in it', (part) => `${part.slice(0, 4)}\u0141${part.slice(4)}`],
  ['with an extra character', (part) => `${part}A`],
  ['with an extra zero byte', (part) => base64url(Buffer.concat([bytesOf(part), Buffer.alloc(1)]))],
  ['encoded twice', (part) => base64url(part)],
  ['in hexadecimal', (part) => bytesOf(part).toString('hex')],
  ['left empty', () => ''],
]

/** With unused bits of the last character set, if there are any. */
const withSpareBits = (part: string): ReadonlyArray<string> =>
  [...ALPHABET]
    .map((last) => part.slice(0, -1) + last)
    .filter((twin) => twin !== part && bytesOf(twin).equals(bytesOf(part)))

/** A name in the claims whose base64url contains both `-` and `_`. */
const jti = '???>>>???>>>'

const KINDS = [
  { name: 'an application token', kind: 'application', parts: [0, 1, 2] },
  { name: 'a user token', kind: 'user', parts: [2, 3] },
] as const

for (const { name, kind, parts } of KINDS) {
  describe(`${name} in another spelling`, () => {
    const target = underAttack()
    const token = wellSigned[kind](() => ({ jti }))

    refusesForged(
      target,
      WHOLE.map(([what, write]): Attack => [what, (t) => write(token(t))]),
    )

    refusesForged(
      target,
      parts.flatMap((at) =>
        PART.map(
          ([what, write]): Attack => [
            `part ${at + 1} ${what}`,
            (t) => {
              const all = token(t).split('.')
              return all.with(at, write(all[at] ?? '')).join('.')
            },
          ],
        ),
      ),
    )

    it('refuses each part with unused bits of the last character set', async () => {
      const all = token(target()).split('.')
      const twins = parts.flatMap((at) =>
        withSpareBits(all[at] ?? '').map((twin) => all.with(at, twin).join('.')),
      )
      expect(twins).to.have.length.above(0)
      for (const twin of twins) await expectForged(target(), twin)
    })

    it('accepts the canonical spelling, which contains - and _', async () => {
      expect(token(target())).to.include('-').and.include('_')
      await expectAccepted(target(), kind, token(target()))
    })
  })
}
