import { expect } from 'chai'
import { isLeft } from 'fp-ts/lib/Either.js'
import { isSome, some } from 'fp-ts/lib/Option.js'
import { standardPasswordHasher } from '../../adapters/composition/security.ts'
import { readPasswordRecord } from '../../adapters/credentials/foreign-passwords/record.ts'

/** 16 and 32 bytes. */
const REST = 'AAAAAAAAAAAAAAAAAAAAAA$AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA'
const BCRYPT_REST = 'CCCCCCCCCCCCCCCCCCCCC.E5YPO9kmyuRGyh0XouQYb4YMJKvyOeW'

const reasonAgainst = (record: string): string => {
  const read = readPasswordRecord(record)
  return isLeft(read) ? read.left : 'none'
}

describe('an import, given that a record may take two seconds to verify', () => {
  for (const record of [
    `$2b$14$${BCRYPT_REST}`,
    `$argon2id$v=19$m=262144,t=7,p=1$${REST}`,
    `$argon2id$v=19$m=65536,t=3,p=4$${REST}`,
    `$argon2id$v=19$m=19456,t=50,p=2$${REST}`,
    `$argon2i$v=19$m=8,t=200000,p=1$${REST}`,
    `$scrypt$ln=18,r=8,p=1$${REST}`,
    `$scrypt$ln=15,r=8,p=14$${REST}`,
    `$pbkdf2-sha1$i=2500000$${REST}`,
    `$pbkdf2-sha256$i=5000000$${REST}`,
    `$pbkdf2-sha512$i=2500000$${REST}`,
  ])
    it(`takes a record that is estimated below it: ${record.slice(0, 34)}…`, () => {
      expect(reasonAgainst(record)).to.equal('none')
    })

  for (const [record, scheme, seconds] of [
    [`$argon2id$v=19$m=262144,t=8,p=1$${REST}`, 'argon2id:m=262144,t=8,p=1', '2.1'],
    [`$argon2d$v=19$m=65536,t=32,p=1$${REST}`, 'argon2d:m=65536,t=32,p=1', '2.1'],
    // Lanes wait for each other in each pass, which takes long on a busy machine.
    [`$argon2id$v=19$m=16,t=131072,p=2$${REST}`, 'argon2id:m=16,t=131072,p=2', '1312.8'],
    [`$argon2i$v=19$m=64,t=250,p=8$${REST}`, 'argon2i:m=64,t=250,p=8', '2.6'],
    [`$scrypt$ln=18,r=8,p=2$${REST}`, 'scrypt:18,8,2', '2.3'],
    [`$scrypt$ln=15,r=2,p=64$${REST}`, 'scrypt:15,2,64', '2.3'],
    [`$pbkdf2-sha512$i=2500001$${REST}`, 'pbkdf2-sha512:2500001', '2.1'],
    [`$pbkdf2-sha512$5000000$${REST}`, 'pbkdf2-sha512:5000000', '4.0'],
  ] as const) {
    it(`refuses a record above it, and says why: ${scheme}`, () => {
      expect(reasonAgainst(record)).to.equal(
        `A record of the scheme ${scheme} can take ${seconds} s to verify. At most 2 s are allowed.`,
      )
    })

    it(`does not verify such a record if it is stored: ${scheme}`, () => {
      const hasher = standardPasswordHasher({
        scrypt: { logN: 1, r: 8, p: 1 },
        hashing: { concurrency: 1, maxWaitMs: 600_000 },
        peppers: [],
      })
      expect(hasher.assess(record)).to.equal('unreadable')
      expect(isSome(hasher.verifyMs(some(scheme)))).to.equal(false)
    })
  }

  it('names the bound of the parameter that a record exceeds', () => {
    expect(reasonAgainst(`$2b$15$${BCRYPT_REST}`)).to.match(/cost of bcrypt must be 4–14, got 15/)
    expect(reasonAgainst(`$argon2id$v=19$m=262145,t=1,p=1$${REST}`)).to.match(/256 MiB/)
  })
})
