import { expect } from 'chai'
import fc from 'fast-check'
import { none, some } from 'fp-ts/lib/Option.js'
import { base32, bytesOfAnyBase32, bytesOfBase32 } from '../../domain/base32.ts'
import { SEED, withoutIo } from './no-io.ts'

const ascii = (text: string): Uint8Array =>
  Uint8Array.from([...text].map((character) => character.charCodeAt(0)))

describe('base32', () => {
  withoutIo()

  /** RFC 4648 §10, without the padding. */
  const VECTORS = [
    ['', ''],
    ['f', 'MY'],
    ['fo', 'MZXQ'],
    ['foo', 'MZXW6'],
    ['foob', 'MZXW6YQ'],
    ['fooba', 'MZXW6YTB'],
    ['foobar', 'MZXW6YTBOI'],
  ] as const
  for (const [text, written] of VECTORS) {
    it(`writes and reads the test vector of RFC 4648: "${text}"`, () => {
      expect(base32(ascii(text))).to.equal(written)
      expect(bytesOfBase32(written)).to.deep.equal(some(ascii(text)))
      const padded = written.padEnd(Math.ceil(written.length / 8) * 8, '=')
      for (const other of [written, padded, padded.toLowerCase()])
        expect(bytesOfAnyBase32(other)).to.deep.equal(written === '' ? none : some(ascii(text)))
    })
  }

  it('reads what it wrote, for any bytes', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 100 }), (bytes) => {
        const written = base32(bytes)
        expect(written).to.match(/^[A-Z2-7]*$/)
        expect(written).to.have.lengthOf(Math.ceil((bytes.length * 8) / 5))
        expect(bytesOfBase32(written)).to.deep.equal(some(bytes))
      }),
      { seed: SEED },
    )
  })

  it('reads no other text', () => {
    const others = [
      'my',
      'MY======',
      'MZ',
      'M',
      'MZXW6YTBO',
      'M1',
      'M8',
      'MZ XQ',
      'MZ-XQ',
      'MZXQ\n',
      'MZXÖ',
      '💥💥',
    ]
    for (const text of others) expect(bytesOfBase32(text), text).to.deep.equal(none)
  })

  it('reads at most one text as the same bytes', () => {
    fc.assert(
      fc.property(fc.string({ unit: fc.constantFrom(...'ABCDYZ27=a1 '), maxLength: 12 }), (text) => {
        const read = bytesOfBase32(text)
        if (read._tag === 'Some') expect(base32(read.value)).to.equal(text)
      }),
      { seed: SEED },
    )
  })
})
