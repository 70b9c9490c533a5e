import { createHash } from 'node:crypto'
import { expect } from 'chai'
import { none, some } from 'fp-ts/lib/Option.js'
import { scryptPasswordHasher } from '../../adapters/scrypt/password-hasher.ts'
import type { PasswordHasher } from '../../application/ports/password-hasher.ts'
import { fail, succeed } from '../support/outcome.ts'

const WANTED = () => true

/** What every password hasher promises (application/ports/password-hasher.ts). */
const passwordHasherContract = (name: string, make: () => PasswordHasher): void => {
  describe(`${name}: a password hasher`, () => {
    const hasher = make()
    const hash = (password: string) => succeed(hasher.hash(password, WANTED))
    const verify = (password: string, record: string) =>
      succeed(hasher.verify(password, some(record), WANTED))

    it('knows the password a record was made from', async () => {
      expect(await verify('correct horse', await hash('correct horse'))).to.equal(true)
    })

    it('makes another record each time, and each is good', async () => {
      const records = [await hash('correct horse'), await hash('correct horse')]
      expect(records[0]).to.not.equal(records[1])
      for (const record of records) expect(await verify('correct horse', record)).to.equal(true)
    })

    it('says false when there is no record', async () => {
      for (const password of ['', 'correct horse', '\0']) {
        expect(await succeed(hasher.verify(password, none, WANTED))).to.equal(false)
      }
    })

    const long = 'x'.repeat(16 * 1024)
    // One of the few whose SHA-256 is text in UTF-8 too: what HMAC makes of a key longer than its block.
    const overlong = `${'y'.repeat(56)}0142441310`
    const digest = createHash('sha256').update(overlong).digest().toString('utf8')
    const OTHERS: ReadonlyArray<readonly [what: string, one: string, other: string]> = [
      ['differ', 'abc', 'abd'],
      ['differ in case', 'abc', 'ABC'],
      ['differ by a NUL at the end', 'abc', 'abc\0'],
      ['differ by two NULs at the end', 'abc\0', 'abc\0\0'],
      ['differ after a NUL', 'abc\0d', 'abc\0e'],
      ['differ by a space at the end', 'abc', 'abc '],
      ['differ by a space in front', 'abc', ' abc'],
      ['differ by a line feed at the end', 'abc', 'abc\n'],
      ['look the same but are composed otherwise', 'caf\u00e9', 'cafe\u0301'],
      ['differ in compatibility forms', 'ﬁsh', 'fish'],
      ['are one of 66 bytes and its SHA-256', overlong, digest],
      ['differ in the 73rd byte', `${'a'.repeat(72)}b`, `${'a'.repeat(72)}c`],
      ['differ in the last byte of 16 KiB', `${long}a`, `${long}b`],
      ['are nothing and a NUL', '', '\0'],
      ['are a character and its replacement', '\ufffd', '?'],
    ]
    for (const [what, one, other] of OTHERS) {
      it(`tells two passwords apart that ${what}`, async () => {
        const record = await hash(one)
        expect(await verify(one, record)).to.equal(true)
        expect(await verify(other, record)).to.equal(false)
        expect(await verify(one, await hash(other))).to.equal(false)
      })
    }

    it('says false for a record that nobody made', async () => {
      for (const record of [
        '',
        '$',
        '$$',
        'correct horse',
        '$2b$10$abcdefghijklmnopqrstuv',
        '\0',
        '1$$',
        '1$$AAAA',
      ]) {
        expect(await verify('correct horse', record), JSON.stringify(record)).to.equal(false)
      }
    })

    it('says false for a record with anything missing or more', async () => {
      const record = await hash('correct horse')
      for (const spoilt of [
        record.slice(1),
        record.slice(0, -4),
        `${record}AAAA`,
        `x${record}`,
        `${record}$`,
      ]) {
        expect(await verify('correct horse', spoilt), spoilt).to.equal(false)
      }
    })

    it('does nothing for an answer nobody wants', async () => {
      const unwanted = () => false
      expect(await fail(hasher.hash('correct horse', unwanted))).to.deep.equal({ _tag: 'Abandoned' })
      expect(await fail(hasher.verify('correct horse', none, unwanted))).to.deep.equal({ _tag: 'Abandoned' })
    })

    it('can be asked many things at once', async () => {
      const records = await Promise.all(Array.from({ length: 20 }, (_, index) => hash(`password ${index}`)))
      const answers = await Promise.all(
        records.flatMap((record, index) => [verify(`password ${index}`, record), verify('password', record)]),
      )
      expect(answers).to.deep.equal(records.flatMap(() => [true, false]))
    })
  })
}

describe('scrypt, one hash at a time and none that waits', () => {
  it('refuses a second password while it has a first one, hashing or verifying', async () => {
    const hasher = scryptPasswordHasher({ logN: 1, r: 8, p: 1 }, { concurrency: 1, maxWaitMs: 0 })
    const first = hasher.hash('first', WANTED)()
    const overloaded = { _tag: 'Overloaded', retryAfterSeconds: 1 }
    expect(await fail(hasher.hash('second', WANTED))).to.deep.equal(overloaded)
    expect(await fail(hasher.verify('second', none, WANTED))).to.deep.equal(overloaded)
    expect(await first).to.have.property('_tag', 'Right')
  })
})

const QUEUE = { concurrency: 2, maxWaitMs: 600_000 }

passwordHasherContract('scrypt', () => scryptPasswordHasher({ logN: 1, r: 8, p: 1 }, QUEUE))
passwordHasherContract('scrypt at another cost', () => scryptPasswordHasher({ logN: 4, r: 2, p: 3 }, QUEUE))
passwordHasherContract('scrypt with a pepper', () =>
  scryptPasswordHasher({ logN: 1, r: 8, p: 1 }, QUEUE, [{ id: 'p1', secret: 's'.repeat(32) }]),
)
