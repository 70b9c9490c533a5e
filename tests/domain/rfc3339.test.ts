import { expect } from 'chai'
import * as fc from 'fast-check'
import { none, some } from 'fp-ts/lib/Option.js'
import { parseRfc3339 } from '../../domain/rfc3339.ts'
import { SEED, withoutIo } from './no-io.ts'

describe('a time in RFC 3339', () => {
  // Computed here, because the domain has no clock.
  const RealDate = Date
  withoutIo()

  const GOOD: ReadonlyArray<readonly [text: string, seconds: number]> = [
    ['1970-01-01T00:00:00Z', 0],
    ['1970-01-01T00:00:01Z', 1],
    ['1969-12-31T23:59:59Z', -1],
    ['2024-02-29T23:59:59Z', 1_709_251_199],
    ['2000-02-29T00:00:00Z', 951_782_400],
    ['2026-03-01T12:00:00.999999Z', 1_772_366_400],
    ['2026-03-01t12:00:00z', 1_772_366_400],
    ['2026-03-01 12:00:00Z', 1_772_366_400],
    ['2026-03-01T14:00:00+02:00', 1_772_366_400],
    ['2026-03-01T08:30:00-03:30', 1_772_366_400],
    ['1970-01-01T00:00:00-00:00', 0],
    ['0000-01-01T00:00:00Z', -62_167_219_200],
    ['9999-12-31T23:59:59Z', 253_402_300_799],
  ]
  for (const [text, seconds] of GOOD) {
    it(`is read: ${text}`, () => {
      expect(parseRfc3339(text)).to.deep.equal(some(seconds))
    })
  }

  const BAD: ReadonlyArray<readonly [what: string, text: string]> = [
    ['empty', ''],
    ['only a date', '2026-03-01'],
    ['without a zone', '2026-03-01T12:00:00'],
    ['without seconds', '2026-03-01T12:00Z'],
    ['with an empty fraction', '2026-03-01T12:00:00.Z'],
    ['with a zone without a colon', '2026-03-01T12:00:00+0200'],
    ['with a zone of 24 hours', '2026-03-01T12:00:00+24:00'],
    ['with a zone of 60 minutes', '2026-03-01T12:00:00+00:60'],
    ['in month 0', '2026-00-01T12:00:00Z'],
    ['in month 13', '2026-13-01T12:00:00Z'],
    ['on day 0', '2026-03-00T12:00:00Z'],
    ['on 30 February', '2024-02-30T12:00:00Z'],
    ['on 29 February of a common year', '2026-02-29T12:00:00Z'],
    ['on 29 February of 1900', '1900-02-29T12:00:00Z'],
    ['on 31 April', '2026-04-31T12:00:00Z'],
    ['at 24:00', '2026-03-01T24:00:00Z'],
    ['at minute 60', '2026-03-01T12:60:00Z'],
    ['at a leap second', '2016-12-31T23:59:60Z'],
    ['with a year of five digits', '12026-03-01T12:00:00Z'],
    ['with a space in front', ' 2026-03-01T12:00:00Z'],
    ['with a line feed at the end', '2026-03-01T12:00:00Z\n'],
    ['a number', '1772366400'],
    ['of another calendar', 'Sun, 01 Mar 2026 12:00:00 GMT'],
  ]
  for (const [what, text] of BAD) {
    it(`is refused ${what}`, () => {
      expect(parseRfc3339(text)).to.deep.equal(none)
    })
  }

  it('is the second that the platform computes, in any year and zone', () => {
    const seconds = fc.integer({ min: -62_167_219_200 + 86_400, max: 253_402_300_799 - 86_400 })
    const zone = fc.integer({ min: -23 * 60 - 59, max: 23 * 60 + 59 })
    fc.assert(
      fc.property(seconds, zone, (at, offset) => {
        const two = (part: number) => String(Math.floor(Math.abs(part))).padStart(2, '0')
        const local = isoOf(RealDate, at + offset * 60)
        const sign = offset < 0 ? '-' : '+'
        const text = `${local}${sign}${two(offset / 60)}:${two(offset % 60)}`
        expect(parseRfc3339(text), text).to.deep.equal(some(at))
      }),
      { seed: SEED, numRuns: 1_000 },
    )
  })
})

const isoOf = (RealDate: DateConstructor, seconds: number): string =>
  new RealDate(seconds * 1000).toISOString().slice(0, 19)
