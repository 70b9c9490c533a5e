import { expect } from 'chai'
import fc from 'fast-check'
import { left, right } from 'fp-ts/lib/Either.js'
import {
  isPossibleCode,
  normalized,
  RECOVERY_CODES_BYTES,
  recoveryCodes,
  useCode,
} from '../../domain/recovery-codes.ts'
import { SEED, withoutIo } from './no-io.ts'

const random = fc.uint8Array({ minLength: RECOVERY_CODES_BYTES, maxLength: RECOVERY_CODES_BYTES })

describe('recovery codes', () => {
  withoutIo()

  it('are ten, each of six groups of four characters', () => {
    fc.assert(
      fc.property(random, (bytes) => {
        const codes = recoveryCodes(bytes)
        expect(codes).to.have.lengthOf(10)
        for (const code of codes) expect(code).to.match(/^[a-z2-7]{4}(-[a-z2-7]{4}){5}$/)
      }),
      { seed: SEED },
    )
  })

  it('contain each of their 120 random bits', () => {
    const none = new Uint8Array(RECOVERY_CODES_BYTES)
    expect(recoveryCodes(none)[0]).to.equal('aaaa-aaaa-aaaa-aaaa-aaaa-aaaa')
    const seen = new Set<string>()
    for (let bit = 0; bit < RECOVERY_CODES_BYTES * 8; bit += 1) {
      const bytes = none.slice()
      bytes[bit >> 3] = 1 << (bit & 7)
      seen.add(recoveryCodes(bytes).join())
    }
    expect(seen.size).to.equal(RECOVERY_CODES_BYTES * 8)
  })

  it('are not made of too few or too many bytes', () => {
    for (const length of [0, 15, RECOVERY_CODES_BYTES - 1, RECOVERY_CODES_BYTES + 1])
      expect(() => recoveryCodes(new Uint8Array(length))).to.throw(RangeError)
  })

  const CODE = 'abcd2345efgh67mnopqrstuv'
  for (const entered of [
    CODE,
    'abcd-2345-efgh-67mn-opqr-stuv',
    'ABCD-2345-EFGH-67MN-OPQR-STUV',
    ' abcd 2345 efgh 67mn opqr stuv\n',
    'Abcd2345-efgh67mn-opqrstuv',
    'abcd–2345—efgh−67mn‑opqr\u200bstuv\ufeff',
    'ＡＢＣＤ２３４５ｅｆｇｈ６７ｍｎｏｐｑｒｓｔｕｖ',
    'abcd٢٣٤٥efgh۶۷mnopqrstuv',
  ]) {
    it(`are the same as ${JSON.stringify(entered)}`, () => expect(normalized(entered)).to.equal(CODE))
  }

  it('are another code with any other character', () => {
    for (const entered of [`${CODE}a`, CODE.slice(1), `${CODE}.`, CODE.replace('o', '0')])
      expect(normalized(entered)).not.to.equal(CODE)
  })
})

describe('a text that cannot be a recovery code', () => {
  withoutIo()

  it('is told from one that can', () => {
    expect(isPossibleCode('abcd2345efgh67mnopqrstuv')).to.equal(true)
    for (const text of [
      '',
      'abcd',
      'a'.repeat(23),
      'a'.repeat(25),
      `${'a'.repeat(23)}1`,
      `${'a'.repeat(23)}A`,
      `${'a'.repeat(23)}ä`,
    ])
      expect(isPossibleCode(text), text).to.equal(false)
  })
})

describe('the use of a recovery code', () => {
  withoutIo()

  it('leaves the others', () => {
    expect(useCode(['a', 'b', 'c'], 'b')).to.deep.equal(right(['a', 'c']))
    expect(useCode(['a'], 'a')).to.deep.equal(right([]))
  })

  it('is refused without such a code', () => {
    for (const [digests, digest] of [
      [[], ''],
      [[], 'a'],
      [['a', 'b'], 'c'],
      [['a', 'b'], ''],
      [['a', 'b'], 'A'],
    ] as const)
      expect(useCode(digests, digest)).to.deep.equal(left('WrongCode'))
  })

  it('is possible once for each code, in any order', () => {
    const digests = Array.from({ length: 10 }, (_, index) => `digest ${index}`)
    const uses = fc.array(fc.constantFrom(...digests, 'unknown'), { maxLength: 40 })
    fc.assert(
      fc.property(uses, (used) => {
        let rest: ReadonlyArray<string> = digests
        const accepted = used.filter((digest) => {
          const outcome = useCode(rest, digest)
          if (outcome._tag === 'Right') rest = outcome.right
          return outcome._tag === 'Right'
        })
        expect(accepted).to.deep.equal([...new Set(used)].filter((digest) => digest !== 'unknown'))
      }),
      { seed: SEED },
    )
  })
})
