import { expect } from 'chai'
import * as fc from 'fast-check'
import { isLeft, right } from 'fp-ts/lib/Either.js'
import { isOwnRecord, ownRecordReader } from '../../adapters/credentials/scrypt/own-record.ts'
import type { ScryptCost } from '../../adapters/credentials/scrypt/record.ts'
import { ownRecord } from '../support/own-record.ts'

const CURRENT: ScryptCost = { logN: 15, r: 8, p: 3 }
const read = ownRecordReader(CURRENT)

const GOOD = ownRecord(CURRENT, '2026')
const bytesOf = (record: string): Buffer => Buffer.from(record.split('$')[2] ?? '', 'base64')
const withBytes = (bytes: Uint8Array): string => `1$2026$${Buffer.from(bytes).toString('base64')}`
const flipped = (at: number): string => {
  const bytes = bytesOf(GOOD)
  bytes.writeUInt8(bytes.readUInt8(at) ^ 1, at)
  return withBytes(bytes)
}

describe('a record of this service in an import', () => {
  const TAKEN: ReadonlyArray<readonly [what: string, cost: ScryptCost, pepperId: string, scheme: string]> = [
    ['without a pepper', CURRENT, '', 'scrypt ln=15,r=8,p=3'],
    ['under a pepper', CURRENT, 'a-B_9', 'scrypt ln=15,r=8,p=3 pepper=a-B_9'],
    [
      'under a pepper with the longest id',
      CURRENT,
      'x'.repeat(16),
      `scrypt ln=15,r=8,p=3 pepper=${'x'.repeat(16)}`,
    ],
    ['at the lowest cost', { logN: 1, r: 1, p: 1 }, '', 'scrypt ln=1,r=1,p=1'],
    ['at a higher cost than new ones', { logN: 17, r: 8, p: 3 }, '', 'scrypt ln=17,r=8,p=3'],
  ]
  for (const [what, cost, pepperId, scheme] of TAKEN) {
    it(`is taken as it is, with its scheme, ${what}`, () => {
      const record = ownRecord(cost, pepperId)
      expect(isOwnRecord(record)).to.equal(true)
      expect(read(record)).to.deep.equal(right({ record, scheme }))
    })
  }

  it('is taken at the cost of new records, even if records of other systems may not cost so much', () => {
    const cost = { logN: 18, r: 32, p: 16 }
    const record = ownRecord(cost)
    expect(isLeft(read(record))).to.equal(true)
    expect(ownRecordReader(cost)(record)).to.deep.equal(right({ record, scheme: 'scrypt ln=18,r=32,p=16' }))
  })

  const FORM = /^A record of Portcullis must have the form 1\$PEPPER-ID\$BASE64/
  const REFUSED: ReadonlyArray<readonly [what: string, record: string, reason: RegExp]> = [
    ['is cut', GOOD.slice(0, -1), FORM],
    ['has more than its parts', `${GOOD}$`, FORM],
    ['has one part less', GOOD.replace('2026$', ''), FORM],
    ['ends with a line feed', `${GOOD}\n`, FORM],
    ['has padding', `${GOOD}==`, FORM],
    ['has base64 for URLs', `1$$${'-'.repeat(128)}`, FORM],
    ['has a space in its base64', GOOD.replace(/.$/, ' '), FORM],
    ['has 95 bytes', withBytes(bytesOf(GOOD).subarray(1)), FORM],
    ['has 97 bytes', withBytes(Buffer.alloc(97)), FORM],
    ['has a pepper id of 17 characters', ownRecord(CURRENT, 'x'.repeat(17)), FORM],
    ['has a pepper id with a space', ownRecord(CURRENT, '20 26'), FORM],
    ['has another magic', flipped(0), FORM],
    ['has another version', flipped(6), FORM],
    ['has a changed cost', flipped(7), FORM],
    ['has a changed salt', flipped(16), FORM],
    ['has a changed checksum', flipped(63), FORM],
    ['has a cost that scrypt cannot run', ownRecord({ logN: 255, r: 2 ** 32 - 1, p: 1 }), FORM],
    [
      'takes too much memory',
      ownRecord({ logN: 19, r: 8, p: 1 }),
      /^The memory of scrypt must be at most 256 MiB/,
    ],
    [
      'takes too long',
      ownRecord({ logN: 18, r: 8, p: 2 }),
      /can take 2\.3 s to verify\. At most 2 s are allowed\.$/,
    ],
  ]
  for (const [what, record, reason] of REFUSED) {
    it(`is refused if it ${what}`, () => {
      const refused = read(record)
      expect(isLeft(refused) && refused.left).to.match(reason)
    })
  }

  it('is taken only as the bytes that were written: no other text has them', () => {
    fc.assert(
      fc.property(
        fc.nat({ max: GOOD.length - 1 }),
        fc.string({ unit: 'binary-ascii', maxLength: 2 }),
        (at, text) => {
          const changed = `${GOOD.slice(0, at)}${text}${GOOD.slice(at + 1)}`
          const answer = read(changed)
          if (isLeft(answer)) return
          expect(answer.right.record, 'only the id of the pepper is not in the checksum').to.equal(changed)
          expect(changed.split('$')[2]?.slice(0, 85)).to.equal(GOOD.split('$')[2]?.slice(0, 85))
        },
      ),
      { seed: 1, numRuns: 500 },
    )
  })
})
