import { expect } from 'chai'
import { jsonTalk } from './transport-json-talk.ts'
import { expectRefusal, NOT_JSON } from './transport-talk.ts'

const utf8 = (text: string) => Buffer.from(text, 'utf8').toString('latin1')
const utf16 = (text: string) => Buffer.from(text, 'utf16le').toString('latin1')

describe('the JSON of a body', () => {
  const { known, missingIn, send } = jsonTalk()

  describe('may hold any number, which does not count as text', () => {
    for (const number of [
      ...['0', '-0', '-0.0', '-0e-0', '1e400', '-1e400', '1e-400', '-1e-400', '1E+400', '5e-324', '4.9e-325'],
      ...['1.7976931348623157e308', '1.7976931348623159e308', '9007199254740993', '18446744073709551616'],
      ...[
        '0.1e1',
        '1e00000000000000000001',
        '9'.repeat(7_000),
        `0.${'0'.repeat(7_000)}1`,
        `1e${'9'.repeat(7_000)}`,
      ],
    ]) {
      it(number.slice(0, 30), async () => {
        expect((await send(`{"x":${number},${known()}}`)).status).to.equal(200)
        expect(await missingIn(`{"public_api_key":${number},"private_api_key":[${number}]}`)).to.deep.equal([
          1, 2,
        ])
        expect(await missingIn(number)).to.deep.equal([1, 2])
      })
    }
  })

  for (const number of [
    ...[
      '00',
      '01',
      '-',
      '+1',
      '.1',
      '1.',
      '1.e1',
      '1e',
      '1e+',
      '--1',
      '0x1',
      '0b1',
      '0o1',
      '1_000',
      '1n',
      '１',
    ],
    ...['NaN', '-NaN', 'Infinity', '-Infinity', 'nan', 'undefined', 'True', 'NULL', 'nil', 'None'],
  ]) {
    it(`with ${number} is 400`, async () => {
      for (const body of [number, `{"x":${number}}`, `{"public_api_key":${number}}`, `[${number}]`]) {
        expectRefusal(await send(utf8(body)), 400, NOT_JSON)
      }
    })
  }

  for (const [what, body] of [
    ['a comment in front', '/* */{}'],
    ['a comment behind', '{}//'],
    ['a comment inside', '{/* */}'],
    ['a comment of a shell', '# x\n{}'],
    ['single quotes', "{'x':'y'}"],
    ['backticks', '{`x`:1}'],
    ['typographic quotes', utf8('{“x”:1}')],
    ['a name without quotes', '{x:1}'],
    ['a number for a name', '{1:1}'],
    ['a comma at the end', '{"x":1,}'],
    ['a comma at the end of an array', '[1,]'],
    ['a comma in front', '{,"x":1}'],
    ['two commas', '{"x":1,,"y":2}'],
    ['no comma', '{"x":1 "y":2}'],
    ['no colon', '{"x" 1}'],
    ['no value', '{"x":}'],
    ['no end', '{"x":1'],
    ['no beginning', '"x":1}'],
    ['a bracket for a brace', '{"x":1]'],
    ['an end too many', '{}}'],
    ['another one behind', '{}{}'],
    ['another one in the next line', '{}\n{}'],
    ['U+0000 behind', '{}\0'],
    ['U+0000 in front', '\0{}'],
    ['U+0000 in a string', '{"x":"\0"}'],
    ['a tab in a string', '{"x":"\t"}'],
    ['a line feed in a string', '{"x":"\n"}'],
    ['U+001F in a string', '{"x":"\x1f"}'],
    ['an incomplete escape', '{"x":"\\"}'],
    ['an unknown escape', '{"x":"\\a"}'],
    ['an escape in octal', '{"x":"\\101"}'],
    ['an escape in hexadecimal', '{"x":"\\x41"}'],
    ['an escape of three digits', '{"x":"\\u041"}'],
    ['an escape in braces', '{"x":"\\u{41}"}'],
    ['a vertical tab for a space', '{\v}'],
    ['a form feed for a space', '{\f}'],
    ['a no-break space', utf8('{\u00a0}')],
    ['a byte order mark', '\xef\xbb\xbf{}'],
    ['a byte order mark behind', '{}\xef\xbb\xbf'],
    ['two byte order marks', '\xef\xbb\xbf\xef\xbb\xbf{}'],
    ['UTF-16', utf16('{}')],
    ['UTF-16 with its mark', utf16('\ufeff{}')],
    ['big-endian UTF-16', '\0{\0}'],
    ['UTF-32', '{\0\0\0}\0\0\0'],
    ['UTF-7', '+AHsAfQ-'],
    ['Latin-1', '{"x":"\xe9"}'],
    ['an overlong U+0000', '{"x":"\xc0\x80"}'],
    ['an overlong slash', '{"x":"\xc0\xaf"}'],
    ['an overlong quote of three bytes', '{"x":"\xe0\x80\xa2"}'],
    ['an overlong A of four bytes', '{"x":"\xf0\x80\x81\x81"}'],
    ['a surrogate', '{"x":"\xed\xa0\x80"}'],
    ['two surrogates', '{"x":"\xed\xa0\xbd\xed\xb2\xa9"}'],
    ['U+110000', '{"x":"\xf4\x90\x80\x80"}'],
    ['five bytes', '{"x":"\xf8\x88\x80\x80\x80"}'],
    ['half a character', '{"x":"\xe2\x82"}'],
    ['half a character at the end', '"\xf0\x9f\x92'],
    ['a byte from the middle of one', '{"x":"\x80"}'],
    ['0xFF', '{"x":"\xff"}'],
    ['0xFE in a name', '{"\xfe":1}'],
    ['a form', 'public_api_key=x&private_api_key=y'],
    ['YAML', 'public_api_key: x'],
    ['XML', '<public_api_key>x</public_api_key>'],
    ['a guard against scripts', ")]}',\n{}"],
    ['spaces only', ' '.repeat(1_000)],
  ] as const) {
    it(`with ${what} is 400`, async () => {
      expectRefusal(await send(body), 400, NOT_JSON)
    })
  }
})
