import { expect } from 'chai'
import * as fc from 'fast-check'
import { isLeft, isRight } from 'fp-ts/lib/Either.js'
import { readForeignRecord } from '../../adapters/credentials/foreign-passwords/record.ts'
import { foreignSchemeText, parseForeignScheme } from '../../domain/foreign-scheme.ts'
import { anyCharacter } from '../support/code-points.ts'
import { foreignRecords } from '../support/foreign-records.ts'
import { KNOWN } from './known-records.ts'

const read = (text: string) => {
  const found = readForeignRecord(text)
  if (isLeft(found)) throw new Error(`${found.left} ${text}`)
  return found.right
}

const reasonAgainst = (text: string): string => {
  const found = readForeignRecord(text)
  return isLeft(found) ? found.left : 'none'
}

describe('a published record of another system', () => {
  for (const [source, password, record, scheme] of KNOWN) {
    it(`of ${source} matches its password (${password.slice(0, 10)}) and no similar one`, async () => {
      const found = read(record)
      expect(foreignSchemeText(found.scheme)).to.equal(scheme)
      expect(await found.matches(password)).to.equal(true)
      for (const other of [`x${password}`, `${password.slice(1)}y`, ` ${password}`])
        expect(await found.matches(other), other).to.equal(false)
    })
  }
})

describe('a record that a library of another system makes', () => {
  for (const password of ['correct horse', 'Zoë 🦊', '', ' a ', 'e\u0301']) {
    it(`matches the exact bytes of "${password}"`, async () => {
      for (const { record, scheme } of await foreignRecords(password)) {
        const found = read(record)
        expect(foreignSchemeText(found.scheme)).to.equal(scheme)
        expect(await found.matches(password), record).to.equal(true)
        for (const other of [`${password} `, `${password}\0`, `${password}x`, '\u00e9'])
          expect(await found.matches(other), `${record} ${other}`).to.equal(false)
      }
    })
  }
})

describe('a bcrypt record', () => {
  const [bcrypt72 = ''] = KNOWN.filter(([source]) => source.endsWith('72 bytes')).map(
    ([, , record]) => record,
  )
  const LONG = KNOWN.find(([, , record]) => record === bcrypt72)?.[1] ?? ''

  it('compares the first 72 bytes, as other implementations do', async () => {
    expect(await read(bcrypt72).matches(LONG.slice(0, 72))).to.equal(true)
    expect(await read(bcrypt72).matches(`${LONG.slice(0, 72)}different`)).to.equal(true)
    expect(await read(bcrypt72).matches(LONG.slice(0, 71))).to.equal(false)
  })

  it('matches no password with NUL', async () => {
    const abc = KNOWN.find(([, password]) => password === 'abc')?.[2] ?? ''
    expect(await read(abc).matches('abc')).to.equal(true)
    // The bytes abc\0abc\0abc\0… are the key of both.
    for (const password of ['abc\0abc', 'abc\0', 'abc\0def', '\0', '\0abc'])
      expect(await read(abc).matches(password), JSON.stringify(password)).to.equal(false)
  })
})

/** 16 and 32 bytes. */
const SALT = 'AAAAAAAAAAAAAAAAAAAAAA'
const OUTPUT = 'AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA'
const REST = `${SALT}$${OUTPUT}`
const BCRYPT_REST = 'CCCCCCCCCCCCCCCCCCCCC.E5YPO9kmyuRGyh0XouQYb4YMJKvyOeW'

describe('a record at the edge of its bounds', () => {
  const cases: ReadonlyArray<readonly [allowed: string, refused: string, reason: RegExp]> = [
    [`$2b$04$${BCRYPT_REST}`, `$2b$03$${BCRYPT_REST}`, /cost of bcrypt must be 4–14, got 3/],
    [`$2b$14$${BCRYPT_REST}`, `$2b$15$${BCRYPT_REST}`, /cost of bcrypt must be 4–14, got 15/],
    [`$argon2id$v=19$m=262144,t=7,p=1$${REST}`, `$argon2id$v=19$m=262145,t=1,p=1$${REST}`, /256 MiB/],
    [
      `$argon2id$v=19$m=65536,t=31,p=1$${REST}`,
      `$argon2id$v=19$m=65536,t=33,p=1$${REST}`,
      /m·t must be at most/,
    ],
    [`$argon2i$v=19$m=8,t=1,p=1$${REST}`, `$argon2i$v=19$m=7,t=1,p=1$${REST}`, /m must be 8·p/],
    [
      `$argon2i$v=19$m=512,t=1,p=64$${REST}`,
      `$argon2i$v=19$m=520,t=1,p=65$${REST}`,
      /parameter p must be 1–64/,
    ],
    [`$argon2d$v=19$m=8,t=1,p=1$${REST}`, `$argon2d$v=19$m=8,t=0,p=1$${REST}`, /t must be at least 1/],
    [
      `$argon2d$v=16$m=8,t=1,p=1$${REST}`,
      `$argon2d$v=17$m=8,t=1,p=1$${REST}`,
      /must have the form \$argon2id/,
    ],
    [`$scrypt$ln=18,r=8,p=1$${REST}`, `$scrypt$ln=19,r=8,p=1$${REST}`, /at most 256 MiB/],
    [`$scrypt$ln=18,r=8,p=1$${REST}`, `$scrypt$ln=18,r=8,p=3$${REST}`, /N·r·p must be at most/],
    [`$scrypt$ln=15,r=1,p=1$${REST}`, `$scrypt$ln=16,r=1,p=1$${REST}`, /below 16·r/],
    [`$scrypt$ln=1,r=64,p=64$${REST}`, `$scrypt$ln=1,r=65,p=1$${REST}`, /r must be 1–64/],
    [`$scrypt$ln=1,r=1,p=1$${REST}`, `$scrypt$ln=1,r=1,p=0$${REST}`, /parameter p must be 1–64/],
    [`$scrypt$ln=1,r=1,p=1$${REST}`, `$scrypt$ln=0,r=1,p=1$${REST}`, /ln must be at least 1/],
    [`$pbkdf2-sha256$i=5000000$${REST}`, `$pbkdf2-sha256$i=5000001$${REST}`, /iterations must be 1–5000000/],
    [
      `$pbkdf2-sha1$i=2500000$${REST}`,
      `$pbkdf2-sha1$i=2500001$${REST}`,
      /needs more than 5000000 iterations/,
    ],
    [`$pbkdf2-sha512$1$${REST}`, `$pbkdf2-sha512$0$${REST}`, /iterations must be 1–5000000/],
    [
      `$pbkdf2-sha256$i=1,l=32$${REST}`,
      `$pbkdf2-sha256$i=1,l=31$${REST}`,
      /must be the length of its output/,
    ],
    [
      `$scrypt$ln=1,r=1,p=1$AAAAAAAAAAA$${OUTPUT}`,
      `$scrypt$ln=1,r=1,p=1$AAAAAAAAAA$${OUTPUT}`,
      /salt.*got 7/,
    ],
    [
      `$scrypt$ln=1,r=1,p=1$${base64(64)}$${OUTPUT}`,
      `$scrypt$ln=1,r=1,p=1$${base64(65)}$${OUTPUT}`,
      /salt.*got 65/,
    ],
    [`$scrypt$ln=1,r=1,p=1$${SALT}$${SALT}`, `$scrypt$ln=1,r=1,p=1$${SALT}$${base64(15)}`, /output.*got 15/],
    [
      `$argon2id$v=19$m=8,t=1,p=1$${SALT}$${base64(128)}`,
      `$argon2id$v=19$m=8,t=1,p=1$${SALT}$${base64(129)}`,
      /output.*got 129/,
    ],
  ]
  for (const [allowed, refused, reason] of cases) {
    it(`is read (${allowed.slice(0, 32)}…), and refused beyond it (${refused.slice(0, 32)}…)`, () => {
      expect(reasonAgainst(allowed)).to.equal('none')
      expect(reasonAgainst(refused)).to.match(reason)
    })
  }
})

describe('a malformed record', () => {
  const cases: ReadonlyArray<readonly [what: string, record: string]> = [
    ['empty', ''],
    ['without a name', '$$$$'],
    ['our own', '1$$c2NyeXB0AAEAAAABAAAAAd'],
    ['of an unknown algorithm', `$md5$${REST}`],
    ['of bcrypt with a sign-extension bug', `$2x$05$${BCRYPT_REST}`],
    ['with a space before it', ` $2b$05$${BCRYPT_REST}`],
    ['with a line feed behind it', `$2b$05$${BCRYPT_REST}\n`],
    ['with a line feed behind it, in base64', `$scrypt$ln=1,r=1,p=1$${REST}\n`],
    ['of bcrypt with a short output', `$2b$05$${BCRYPT_REST.slice(1)}`],
    ['of bcrypt with unused bits in the salt', `$2b$05$${BCRYPT_REST.replace('.', '/')}`],
    ['of bcrypt with unused bits in the output', `$2b$05$${BCRYPT_REST.slice(0, -1)}X`],
    ['of bcrypt with one digit of cost', `$2b$5$${BCRYPT_REST}`],
    ['with unused bits in base64', `$scrypt$ln=1,r=1,p=1$${SALT.slice(0, -1)}B$${OUTPUT}`],
    ['with padding', `$scrypt$ln=1,r=1,p=1$${SALT}==$${OUTPUT}=`],
    ['with base64url', `$scrypt$ln=1,r=1,p=1$${SALT}$${OUTPUT.replace('A', '-')}`],
    ['with parameters in another order', `$argon2id$v=19$t=1,m=8,p=1$${REST}`],
    ['with a leading zero', `$argon2id$v=19$m=08,t=1,p=1$${REST}`],
    ['with a key id', `$argon2id$v=19$m=8,t=1,p=1,keyid=AAAA$${REST}`],
    ['without an output', `$argon2id$v=19$m=8,t=1,p=1$${SALT}`],
    ['with one part more', `$argon2id$v=19$m=8,t=1,p=1$${REST}$AAAA`],
    ['with a number beyond 32 bits', `$pbkdf2-sha256$i=99999999999$${REST}`],
    ['of another digest', `$pbkdf2-md5$i=1$${REST}`],
    ['of passlib with a plus sign', `$pbkdf2-sha256$1$${SALT}$+${OUTPUT.slice(1)}`],
    ['very long', `$scrypt$ln=1,r=1,p=1$${base64(64)}$${base64(400)}`],
    ['a megabyte', '$'.repeat(2 ** 20)],
  ]
  for (const [what, record] of cases) {
    it(`is refused: ${what}`, () => {
      expect(reasonAgainst(record)).to.match(/^[A-Z].*\.$/)
    })
  }

  it('is refused with a sentence that shows neither salt nor output', () => {
    for (const [, , record] of KNOWN) {
      const [output = ''] = record.split('$').slice(-1)
      for (const broken of [`${record}!`, record.replace(/\d+/, '99'), `${record}$`, record.slice(0, -1)]) {
        const reason = reasonAgainst(broken)
        expect(reason).not.to.include(output.slice(0, 8))
        expect(reason.length).to.be.below(200)
      }
    }
  })
})

describe('any text', () => {
  const part = fc.constantFrom(
    ...[
      '$',
      '$2b$',
      '05',
      '$argon2id$',
      'v=19$',
      'm=8,t=1,p=1',
      '$scrypt$',
      'ln=1,r=1,p=1',
      '$pbkdf2-sha256$',
    ],
    ...['i=1,l=32', '1', SALT, OUTPUT, BCRYPT_REST, '', '=', '\0', '\ud800', 'A'.repeat(600)],
  )
  const text = fc.oneof(
    fc.string({ unit: anyCharacter }),
    fc.array(part, { maxLength: 8 }).map((parts) => parts.join('')),
    fc
      .tuple(fc.constantFrom(...KNOWN), fc.nat(200), fc.string({ maxLength: 2 }))
      .map(([[, , record], at, by]) => {
        const index = at % record.length
        return record.slice(0, index) + by + record.slice(index + 1)
      }),
  )

  it('is read or refused with a sentence, and never throws', () => {
    fc.assert(
      fc.property(text, (record) => {
        const found = readForeignRecord(record)
        if (isLeft(found)) return /^[A-Z].*\.$/.test(found.left)
        const scheme = foreignSchemeText(found.right.scheme)
        return record.length <= 512 && scheme.length <= 200 && parseForeignScheme(scheme) !== undefined
      }),
      { seed: 20261, numRuns: 5_000 },
    )
  })

  it('is matched without an exception if it can be read', async () => {
    const cheap = (record: string): boolean => {
      const found = readForeignRecord(record)
      return (
        isRight(found) && !/^(?:scrypt:1[0-9]|bcrypt:(?:[6-9]|1))/.test(foreignSchemeText(found.right.scheme))
      )
    }
    await fc.assert(
      fc.asyncProperty(text.filter(cheap), fc.string({ unit: 'grapheme' }), async (record, password) => {
        expect(await read(record).matches(password)).to.be.a('boolean')
      }),
      { seed: 20261, numRuns: 100 },
    )
  })
})

describe('the text of a foreign scheme', () => {
  it('is read back', () => {
    for (const [, , record, scheme] of KNOWN)
      expect(parseForeignScheme(scheme)).to.deep.equal(read(record).scheme)
  })

  for (const text of [
    '',
    'bcrypt',
    'bcrypt:',
    'bcrypt:3',
    'bcrypt:15',
    'bcrypt:012',
    'bcrypt:12,1',
    'argon2id m=47104',
    'argon2id:m=524288,t=1,p=1',
    'argon2id:t=1,m=8,p=1',
    'scrypt:30,8,1',
    'scrypt ln=15,r=8,p=3',
    'pbkdf2-sha256:5000001',
    'pbkdf2-sha256:10,blocks=1',
    'pbkdf2-md5:10',
    'md5:1',
    '__proto__:1',
    `bcrypt:${'1'.repeat(2 ** 20)}`,
  ]) {
    it(`is unknown: ${text.slice(0, 30)}`, () => {
      expect(parseForeignScheme(text)).to.equal(undefined)
    })
  }
})

function base64(bytes: number): string {
  return Buffer.alloc(bytes).toString('base64').replace(/=+$/, '')
}
