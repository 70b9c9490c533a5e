import { expect } from 'chai'
import { none, some } from 'fp-ts/lib/Option.js'
import { uuidTime } from '../../domain/uuid-time.ts'
import { withoutIo } from './no-io.ts'

describe('the time in a UUID of version 7', () => {
  withoutIo()

  const GOOD: ReadonlyArray<readonly [text: string, milliseconds: number]> = [
    ['017f22e2-79b0-7cc3-98c4-dc0c0c07398f', 1_645_557_742_000], // RFC 9562, appendix A.6
    ['00000000-0000-7000-8000-000000000000', 0],
    ['ffffffff-ffff-7fff-bfff-ffffffffffff', 281_474_976_710_655],
  ]
  for (const [text, milliseconds] of GOOD)
    it(`is read: ${text}`, () => {
      expect(uuidTime(text)).to.deep.equal(some(milliseconds))
    })

  const BAD: ReadonlyArray<readonly [what: string, text: string]> = [
    ['an empty text', ''],
    ['version 4', '017f22e2-79b0-4cc3-98c4-dc0c0c07398f'],
    ['another variant', '017f22e2-79b0-7cc3-c8c4-dc0c0c07398f'],
    ['capitals', '017F22E2-79B0-7CC3-98C4-DC0C0C07398F'],
    ['a UUID without hyphens', '017f22e279b07cc398c4dc0c0c07398f'],
    ['a UUID with a line feed', '017f22e2-79b0-7cc3-98c4-dc0c0c07398f\n'],
    ['an id of a test', 'key-1'],
  ]
  for (const [what, text] of BAD)
    it(`is not in ${what}`, () => {
      expect(uuidTime(text)).to.deep.equal(none)
    })
})
