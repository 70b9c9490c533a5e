import { expect } from 'chai'
import { estimateMs, hashDurations } from '../../adapters/credentials/scrypt/durations.ts'

const NOW = { logN: 15, r: 8, p: 3 }
const OLD = { logN: 14, r: 8, p: 1 }

describe('the estimated duration of a hash', () => {
  it('is derived from its work until the first measurement', () => {
    const { upperMs } = hashDurations()
    expect(upperMs(NOW)).to.equal(estimateMs(NOW))
    expect(upperMs(NOW) / upperMs(OLD)).to.be.closeTo(6, 0.001)
  })

  it('is derived from other costs by the ratio of work if its cost was never measured', () => {
    const { measured, upperMs } = hashDurations()
    measured(NOW, 300)
    expect(upperMs(NOW)).to.equal(300)
    expect(upperMs(OLD)).to.be.closeTo(50, 1)
  })

  it('is not derived from a cost so low that its time is mostly overhead', () => {
    const { measured, upperMs } = hashDurations()
    measured({ logN: 1, r: 8, p: 1 }, 0.2)
    expect(upperMs(NOW)).to.equal(estimateMs(NOW))
    measured(OLD, 70)
    expect(upperMs(NOW)).to.be.closeTo(417.5, 1)
  })

  it('never exceeds its own measurement when other costs suggest less', () => {
    const { measured, upperMs } = hashDurations()
    measured(NOW, 300)
    measured(OLD, 70)
    expect(upperMs(OLD)).to.equal(70)
  })

  it('rises at once with a longer measurement and falls slowly', () => {
    const { measured, upperMs } = hashDurations()
    for (let times = 0; times < 20; times += 1) measured(NOW, 200)
    measured(NOW, 260)
    expect(upperMs(NOW)).to.equal(260)
    measured(NOW, 200)
    expect(upperMs(NOW)).to.be.within(250, 260)
    for (let times = 0; times < 200; times += 1) measured(NOW, 200)
    expect(upperMs(NOW)).to.be.closeTo(200, 1)
  })

  it('is at most three times the typical duration after the process was suspended', () => {
    const { measured, upperMs } = hashDurations()
    for (let times = 0; times < 20; times += 1) measured(NOW, 200)
    measured(NOW, 900)
    expect(upperMs(NOW)).to.equal(900)
    for (let times = 0; times < 20; times += 1) measured(NOW, 200)
    measured(NOW, 600_000)
    for (let times = 0; times < 60; times += 1) measured(NOW, 200)
    expect(upperMs(NOW)).to.be.below(620)
  })

  it('keeps the measurements of a few costs only', () => {
    const { measured, upperMs } = hashDurations()
    for (let p = 1; p <= 1_000; p += 1) measured({ logN: 10, r: 8, p }, p)
    measured({ logN: 10, r: 8, p: 5_000 }, 1e6)
    expect(upperMs({ logN: 10, r: 8, p: 5_000 })).to.be.below(10_000)
  })
})
