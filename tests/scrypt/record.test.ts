import { createHash, createHmac, scryptSync } from 'node:crypto'
import { expect } from 'chai'
import { some } from 'fp-ts/lib/Option.js'
import * as declared from 'scrypt-kdf'
import { scryptPasswordHasher } from '../../adapters/credentials/scrypt/password-hasher.ts'
import {
  decoyRecord,
  isAffordable,
  NO_PEPPER,
  parseRecord,
  preHash,
  type ScryptCost,
} from '../../adapters/credentials/scrypt/record.ts'
import type { HashingRequest } from '../../application/ports/password-hasher.ts'
import { succeed } from '../support/outcome.ts'

// The types declare named exports, but the package has only a default export.
const scrypt = (declared as unknown as { default: typeof declared }).default

const CHEAP = { logN: 2, r: 4, p: 3 }
const hasherAt = (cost: ScryptCost) => scryptPasswordHasher(cost, { concurrency: 1, maxWaitMs: 600_000 })
const REQUEST: HashingRequest = { share: ['tests'] }

/** The parts of a record in the layout of the scrypt encrypted data format. */
const partsOf = (record: string) => {
  const bytes = Buffer.from(record.slice('1$$'.length), 'base64')
  return {
    bytes,
    magic: bytes.subarray(0, 6).toString('latin1'),
    version: bytes.readUInt8(6),
    logN: bytes.readUInt8(7),
    r: bytes.readUInt32BE(8),
    p: bytes.readUInt32BE(12),
    salt: bytes.subarray(16, 48),
    checksum: bytes.subarray(48, 64),
    mac: bytes.subarray(64, 96),
  }
}

describe('the record of a password', () => {
  it('is scheme, no pepper, and 96 bytes in base64', async () => {
    const { record } = await succeed(hasherAt(CHEAP).hash('correct horse', REQUEST))
    expect(record).to.match(/^1\$\$[A-Za-z0-9+/]{128}$/)
    const { magic, version, logN, r, p } = partsOf(record)
    expect({ magic, version, logN, r, p }).to.deep.equal({ magic: 'scrypt', version: 0, ...CHEAP })
  })

  it('is scrypt over the HMAC-SHA-512 of the password', async () => {
    const password = 'correct horse é 🛒'
    const { record } = await succeed(hasherAt(CHEAP).hash(password, REQUEST))
    const { bytes, salt, checksum, mac } = partsOf(record)
    const hmac = createHmac('sha512', '').update(Buffer.from(password, 'utf8')).digest()
    const derived = scryptSync(hmac, salt, 64, { N: 2 ** CHEAP.logN, r: CHEAP.r, p: CHEAP.p })
    const expected = createHmac('sha256', derived.subarray(32)).update(bytes.subarray(0, 64)).digest()
    expect(checksum).to.deep.equal(
      createHash('sha256').update(bytes.subarray(0, 48)).digest().subarray(0, 16),
    )
    expect(mac).to.deep.equal(expected)
  })

  it('made at another cost matches at the current one', async () => {
    const { record } = await succeed(hasherAt({ logN: 1, r: 8, p: 1 }).hash('correct horse', REQUEST))
    expect(await succeed(hasherAt(CHEAP).verify('correct horse', some(record), REQUEST))).to.equal(true)
  })

  it('is good for no password after a change of any byte', async () => {
    const { record } = await succeed(hasherAt(CHEAP).hash('correct horse', REQUEST))
    const { bytes } = partsOf(record)
    for (let at = 0; at < bytes.length; at += 1) {
      const spoilt = Buffer.from(bytes)
      spoilt.writeUInt8(spoilt.readUInt8(at) ^ 1, at)
      const stored = some(`1$$${spoilt.toString('base64')}`)
      const answer = await succeed(hasherAt(CHEAP).verify('correct horse', stored, REQUEST))
      expect(answer, `byte ${at}`).to.equal(false)
    }
  })

  const whole = (kdf: Buffer) => `1$$${kdf.toString('base64')}`
  const costing = (logN: number, r: number, p: number) => whole(Buffer.from(decoyRecord({ logN, r, p })))
  const spoiltAt = (at: number) => {
    const kdf = Buffer.from(decoyRecord({ logN: 1, r: 8, p: 1 }))
    kdf.writeUInt8(kdf.readUInt8(at) ^ 1, at)
    return whole(kdf)
  }
  const UNREADABLE: ReadonlyArray<readonly [what: string, stored: string]> = [
    ['nothing', ''],
    ['another scheme', costing(1, 8, 1).replace('1$$', '2$$')],
    ['more parts', `${costing(1, 8, 1)}$more`],
    ['95 bytes', whole(Buffer.alloc(95, 1))],
    ['97 bytes', whole(Buffer.alloc(97, 1))],
    ['N = 1', costing(0, 8, 1)],
    ['r = 0', costing(1, 0, 1)],
    ['no blocks', costing(1, 8, 0)],
    ['a cost above the memory limit', costing(24, 8, 1)],
    ['a cost above the limit of OpenSSL', costing(16, 1, 1)],
    ['a wrong magic prefix', spoiltAt(0)],
    ['another version', spoiltAt(6)],
    ['a salt that contradicts the checksum', spoiltAt(16)],
    ['another checksum', spoiltAt(48)],
  ]
  for (const [what, stored] of UNREADABLE) {
    it(`is unreadable with ${what}`, () => {
      expect(parseRecord(stored)).to.equal(undefined)
    })
  }
})

describe('the input of scrypt for a password', () => {
  it('always has 64 bytes', () => {
    for (const password of ['', 'a', 'x'.repeat(16 * 1024)])
      expect(preHash(password, NO_PEPPER)).to.have.lengthOf(64)
  })

  it('is the standard HMAC-SHA-512', () => {
    // HMAC-SHA-512 of "abc" under the empty key
    expect(Buffer.from(preHash('abc', NO_PEPPER)).toString('hex')).to.equal(
      '29689f6b79a8dd686068c2eeae97fd8769ad3ba65cb5381f838358a8045a358ee3ba1739c689c7805e31734fb6072f87261d1256995370d55725cba00d10bdd0',
    )
  })
})

describe('the record for missing accounts', () => {
  for (const cost of [
    { logN: 15, r: 8, p: 3 },
    { logN: 1, r: 2, p: 1 },
    { logN: 18, r: 32, p: 16 },
  ]) {
    it(`has the configured cost: ${JSON.stringify(cost)}`, () => {
      expect(scrypt.viewParams(decoyRecord(cost))).to.deep.equal(cost)
    })
  }

  it('is well-formed, so that verifying against it takes the full work', () => {
    const record = Buffer.from(decoyRecord(CHEAP))
    const checksum = createHash('sha256').update(record.subarray(0, 48)).digest().subarray(0, 16)
    expect(record.subarray(0, 6).toString()).to.equal('scrypt')
    expect(record.subarray(48, 64)).to.deep.equal(checksum)
    expect(parseRecord(`1$$${record.toString('base64')}`)).to.not.equal(undefined)
  })

  it('differs in each process', () => {
    expect(decoyRecord(CHEAP)).to.not.deep.equal(decoyRecord(CHEAP))
  })
})

describe('a cost', () => {
  const COSTS: ReadonlyArray<readonly [cost: ScryptCost, affordable: boolean]> = [
    [{ logN: 15, r: 8, p: 3 }, true],
    [{ logN: 1, r: 2, p: 1 }, true],
    [{ logN: 18, r: 32, p: 16 }, true],
    [{ logN: 20, r: 8, p: 1 }, true],
    [{ logN: 21, r: 8, p: 1 }, false],
    [{ logN: 16, r: 1, p: 1 }, false],
    [{ logN: 15, r: 1, p: 1 }, true],
    [{ logN: 0, r: 8, p: 1 }, false],
    [{ logN: 1, r: 0, p: 1 }, false],
    [{ logN: 1, r: 1, p: 0 }, false],
    [{ logN: 1, r: 1, p: 2 ** 32 - 1 }, false],
    [{ logN: 255, r: 2 ** 32 - 1, p: 1 }, false],
  ]
  for (const [cost, affordable] of COSTS) {
    it(`${JSON.stringify(cost)} is ${affordable ? '' : 'not '}affordable`, () => {
      expect(isAffordable(cost)).to.equal(affordable)
    })
  }
})
