import assert from 'node:assert/strict'
import type { Check } from '../password-hasher.ts'
import { hash, verify } from './steps.ts'

/** A password fits its own record and no other, and is taken exactly as it is. */
export const passwordCases = (check: Check): void => {
  for (const [what, password] of PASSWORDS) {
    check(`a password fits its own record: ${what}`, async (hasher) => {
      assert.equal(await verify(hasher, password, await hash(hasher, password)), true)
    })
  }

  for (const [what, one, other] of OTHERS) {
    check(`passwords are told apart if they ${what}`, async (hasher) => {
      const [ofOne, ofOther] = [await hash(hasher, one), await hash(hasher, other)]
      assert.equal(await verify(hasher, one, ofOne), true)
      assert.equal(await verify(hasher, other, ofOther), true)
      assert.equal(await verify(hasher, other, ofOne), false)
      assert.equal(await verify(hasher, one, ofOther), false)
    })
  }

  check('a password fits its own record and none of many others', async (hasher) => {
    const passwords = Array.from({ length: 12 }, (_, index) => `correct horse battery staple ${index}`)
    const records: Array<string> = []
    for (const password of passwords) records.push(await hash(hasher, password))
    for (const [index, record] of records.entries()) {
      const fits: Array<boolean> = []
      for (const password of passwords) fits.push(await verify(hasher, password, record))
      assert.deepEqual(
        fits,
        passwords.map((_, other) => other === index),
      )
    }
  })
}

const LONG = 'x'.repeat(16 * 1024 - 1)

/** One of the few whose SHA-256 is text in UTF-8 too: what HMAC makes of a key that is longer than its block. */
const OVERLONG = `${'y'.repeat(56)}0142441310`
const ITS_DIGEST = Buffer.from(
  '75dbb90213411c0f55d39f7c015f533f13644ecd990e5a0cdeb82614452e7623',
  'hex',
).toString()

const PASSWORDS: ReadonlyArray<readonly [what: string, password: string]> = [
  ['a few letters', 'abc'],
  ['several scripts', 'Zoë’s пароль 密码 🦊'],
  ['one that ends with a NUL', 'abc\0'],
  ['one with NULs in it', '\0a\0b\0'],
  ['one of spaces', '   '],
  ['one of 16 KiB', `${LONG}x`],
  ['one of 16 KiB beyond ASCII', '🦊'.repeat(4096)],
]

const OTHERS: ReadonlyArray<readonly [what: string, one: string, other: string]> = [
  ['differ in their last letter', 'abc', 'abd'],
  ['differ in their first letter', 'abc', 'bbc'],
  ['differ in case', 'abc', 'ABC'],
  ['differ by a NUL at the end', 'abc', 'abc\0'],
  ['differ by two NULs at the end', 'abc\0', 'abc\0\0'],
  ['differ after a NUL', 'abc\0d', 'abc\0e'],
  ['differ by spaces at the end', 'abc', 'abc  '],
  ['differ by a space in front', 'abc', ' abc'],
  ['differ by a line feed at the end', 'abc', 'abc\n'],
  ['look the same but are composed otherwise', 'caf\u00e9', 'cafe\u0301'],
  ['differ in compatibility forms', '\ufb01sh', 'fish'],
  ['are one of 66 bytes and its SHA-256', OVERLONG, ITS_DIGEST],
  ['differ in the 73rd byte', `${'a'.repeat(72)}b`, `${'a'.repeat(72)}c`],
  ['differ in the last byte of 16 KiB', `${LONG}a`, `${LONG}b`],
  ['are nothing and a NUL', '', '\0'],
  ['are a character and its replacement', '\ufffd', '?'],
  ['have the same lower 16 bits', '\u{1f98a}', '\uf98a'],
]
