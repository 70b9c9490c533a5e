import { expect } from 'chai'
import * as fc from 'fast-check'
import { isSome, none, type Option, some } from 'fp-ts/lib/Option.js'
import {
  gentleRotation,
  inactiveKeyIds,
  isDue,
  isVerifying,
  KEYS_CACHED_SECONDS,
  retired,
  retiringAt,
  type SigningKey,
  selectSigningKey,
  tokenEnd,
} from '../../domain/signing-key.ts'
import { SEED, withoutIo } from './no-io.ts'

const KEY: SigningKey = {
  id: 'user-1',
  kid: 'kid',
  purpose: 'user',
  material: 'secret',
  createdAtSeconds: 400,
  signsFromSeconds: 1000,
  retiresAtSeconds: some(2000),
  retired: false,
  version: 2,
}

describe('a signing key', () => {
  withoutIo()

  const CASES: ReadonlyArray<
    readonly [
      name: string,
      facts: Readonly<{ key?: Partial<SigningKey>; now: number }>,
      is: Readonly<{ verifying: boolean; due: boolean }>,
    ]
  > = [
    ['before it signs verifies already', { now: 999 }, { verifying: true, due: false }],
    ['before it was made (a clock was set back) verifies', { now: 0 }, { verifying: true, due: false }],
    ['while it signs verifies', { now: 1000 }, { verifying: true, due: false }],
    ['a moment before its end verifies', { now: 1999.999 }, { verifying: true, due: false }],
    ['at its end is due, and verifies nothing', { now: 2000 }, { verifying: false, due: true }],
    ['long after its end is due, and verifies nothing', { now: 1e9 }, { verifying: false, due: true }],
    [
      'without an end is never due',
      { key: { retiresAtSeconds: none }, now: 1e9 },
      { verifying: true, due: false },
    ],
    [
      'that was retired at its end is not due again',
      { key: { retired: true }, now: 2000 },
      { verifying: false, due: false },
    ],
    [
      'that was retired before its end verifies nothing',
      { key: { retired: true }, now: 1500 },
      { verifying: false, due: false },
    ],
    [
      'that was retired without an end verifies nothing',
      { key: { retired: true, retiresAtSeconds: none }, now: 1500 },
      { verifying: false, due: false },
    ],
  ]
  for (const [name, { key, now }, { verifying, due }] of CASES) {
    it(name, () => {
      expect(isVerifying({ ...KEY, ...key }, now)).to.equal(verifying)
      expect(isDue({ ...KEY, ...key }, now)).to.equal(due)
    })
  }

  it('that is retired has no secret, and is otherwise unchanged', () => {
    expect(retired(KEY)).to.deep.equal({ ...KEY, retired: true, material: '' })
  })
})

describe('of several keys', () => {
  withoutIo()

  const from = (...seconds: ReadonlyArray<number>): ReadonlyArray<SigningKey> =>
    seconds.map((signsFromSeconds, index) => ({ ...KEY, id: `user-${index + 1}`, signsFromSeconds }))

  const CASES: ReadonlyArray<
    readonly [name: string, begin: ReadonlyArray<number>, now: number, signing: string | undefined]
  > = [
    ['none signs when there is none', [], 1000, undefined],
    ['the only one signs', [1000], 1000, 'user-1'],
    ['the only one signs even before it begins', [1000], 999, 'user-1'],
    ['the newest signs once it has begun', [1000, 2000], 2000, 'user-2'],
    ['the one before signs until the newest begins', [1000, 2000], 1999.999, 'user-1'],
    ['the newest that has begun signs, of three', [1000, 2000, 3000], 2500, 'user-2'],
    ['the newest signs when all have begun', [1000, 2000, 3000], 3000, 'user-3'],
    ['the newest signs when all began at once', [1000, 1000, 1000], 1000, 'user-3'],
    ['the oldest signs when none has begun: it is known best', [1000, 2000, 3000], 999, 'user-1'],
    ['one that begins before an older one does not wait for it', [3000, 1000], 1000, 'user-2'],
  ]
  for (const [name, begin, now, signing] of CASES) {
    it(name, () => {
      expect(selectSigningKey(from(...begin), now)?.id).to.equal(signing)
    })
  }

  it('one of them signs at any time', () => {
    fc.assert(
      fc.property(fc.array(fc.nat(), { minLength: 1 }), fc.integer(), (begin, now) => {
        const keys = from(...begin)
        expect(keys).to.include(selectSigningKey(keys, now))
      }),
      { seed: SEED },
    )
  })
})

describe('a gentle rotation', () => {
  withoutIo()

  it('publishes the new key ten minutes before it signs', () => {
    expect(KEYS_CACHED_SECONDS).to.equal(600)
    expect(gentleRotation(10_000, 3600)).to.deep.equal({
      signsFromSeconds: 10_600,
      othersRetireAtSeconds: 14_800,
    })
  })

  it('keeps the old keys until their last token has expired, with the tolerance of clocks', () => {
    fc.assert(
      fc.property(fc.nat(), fc.nat({ max: 31_536_000 }), fc.nat({ max: 600 }), (now, ttl, late) => {
        const { signsFromSeconds, othersRetireAtSeconds } = gentleRotation(now, ttl)
        // A client that caches the keys for the longest allowed time has the new one before its first token.
        expect(signsFromSeconds).to.be.at.least(now + KEYS_CACHED_SECONDS)
        // The last token of an old key is made at `signsFromSeconds` at the latest, on a clock that is this late.
        const lastExpires = signsFromSeconds + late + ttl
        expect(othersRetireAtSeconds).to.be.at.least(lastExpires)
      }),
      { seed: SEED },
    )
  })
})

describe('a token of a key', () => {
  withoutIo()

  it('ends after its lifetime, and never after its key', () => {
    expect(tokenEnd({ ...KEY, retiresAtSeconds: none }, 1_000, 31_536_000)).to.equal(31_537_000)
    expect(tokenEnd(KEY, 1_000, 999)).to.equal(1_999)
    expect(tokenEnd(KEY, 1_000, 1_001)).to.equal(2_000)
  })
})

describe('a key that gets a retirement time', () => {
  withoutIo()

  const CASES: ReadonlyArray<readonly [name: string, before: Option<number>, seconds: number, then: number]> =
    [
      ['without one gets it', none, 2000, 2000],
      ['with a later one gets the earlier one', some(3000), 2000, 2000],
      ['with an earlier one keeps that', some(1000), 2000, 1000],
      ['with the same one keeps it', some(2000), 2000, 2000],
      ['gets one in the past after the clock was set back', some(2000), -5, -5],
      ['with one at the epoch keeps it', some(0), 2000, 0],
    ]
  for (const [name, retiresAtSeconds, seconds, then] of CASES) {
    it(name, () => {
      expect(retiringAt({ ...KEY, retiresAtSeconds }, seconds)).to.deep.equal({
        ...KEY,
        retiresAtSeconds: some(then),
      })
    })
  }

  it('is the same object if it retires at that time already, so that no row is written', () => {
    const key = { ...KEY, retiresAtSeconds: some(2000) }
    expect(retiringAt(key, 2000)).to.equal(key)
  })

  it('never retires later, for any movements of the clock', () => {
    fc.assert(
      fc.property(fc.array(fc.integer(), { minLength: 1 }), (moments) => {
        const key = moments.reduce(retiringAt, { ...KEY, retiresAtSeconds: none })
        expect(isSome(key.retiresAtSeconds) && key.retiresAtSeconds.value).to.equal(Math.min(...moments))
      }),
      { seed: SEED },
    )
  })
})

describe('the ids of keys that no longer verify', () => {
  withoutIo()

  const key = (kid: string, more: Partial<SigningKey> = {}): SigningKey => ({ ...KEY, kid, ...more })

  it('are those of retired and due keys of one purpose', () => {
    const keys = [
      key('retired', { retired: true }),
      key('at its end', { retiresAtSeconds: some(1500) }),
      key('good'),
      key('not yet signing', { signsFromSeconds: 1900, retiresAtSeconds: none }),
      key('of another purpose', { retired: true, purpose: 'application' }),
    ]
    expect([...inactiveKeyIds(keys, 'user', 1500)]).to.deep.equal(['retired', 'at its end'])
  })

  it('are a thousand at most, the newest', () => {
    const keys = Array.from({ length: 1_001 }, (_, index) => key(`${index}`, { retired: true }))
    const ended = inactiveKeyIds(keys, 'user', 0)
    expect([ended.size, ended.has('0'), ended.has('1'), ended.has('1000')]).to.deep.equal([
      1_000,
      false,
      true,
      true,
    ])
  })
})
