import { expect } from 'chai'
import { isCheaperThanRecommended, type Settings } from '../../adapters/config/settings.ts'
import { settings } from '../support/settings.ts'

describe('the comparison of a hashing cost with OWASP’s recommendation', () => {
  const COSTS: ReadonlyArray<readonly [cost: Settings['scrypt'], isCheaper: boolean]> = [
    // The five settings of the OWASP Password Storage Cheat Sheet, which rates them as equally strong.
    [{ logN: 17, r: 8, p: 1 }, false],
    [{ logN: 16, r: 8, p: 2 }, false],
    [{ logN: 15, r: 8, p: 3 }, false],
    [{ logN: 14, r: 8, p: 5 }, false],
    [{ logN: 13, r: 8, p: 10 }, false],
    // A little cheaper than the cheapest of them.
    [{ logN: 13, r: 8, p: 9 }, true],
    [{ logN: 14, r: 8, p: 4 }, true],
    [{ logN: 15, r: 8, p: 2 }, true],
    [{ logN: 16, r: 8, p: 1 }, true],
    [{ logN: 12, r: 8, p: 10 }, true],
    [{ logN: 13, r: 7, p: 10 }, true],
    // The same work with other parameters, and extremes.
    [{ logN: 13, r: 16, p: 5 }, false],
    [{ logN: 12, r: 16, p: 10 }, false],
    [{ logN: 1, r: 2, p: 1 }, true],
    [{ logN: 18, r: 32, p: 16 }, false],
  ]
  for (const [cost, isCheaper] of COSTS) {
    it(`rates ${JSON.stringify(cost)} as ${isCheaper ? 'cheaper' : 'not cheaper'}`, () => {
      expect(isCheaperThanRecommended(cost)).to.equal(isCheaper)
    })
  }

  it('rates the default settings as not cheaper', () => {
    const { scrypt } = settings({ SCRYPT_LOG_N: '', SCRYPT_R: '', SCRYPT_P: '' })
    expect(isCheaperThanRecommended(scrypt)).to.equal(false)
  })
})
