import { expect } from 'chai'
import fc from 'fast-check'
import { isRight, left } from 'fp-ts/lib/Either.js'
import { none, some } from 'fp-ts/lib/Option.js'
import type { Factor, FactorUse } from '../../domain/factor.ts'
import {
  type Assertion,
  acceptAssertion,
  MAX_ANSWERED,
  PASSKEY_SECONDS,
  passkeyMaterial,
  userHandleOf,
} from '../../domain/passkey.ts'
import { aFactor } from '../testkit/builders.ts'
import { SEED, withoutIo } from './no-io.ts'

const ADA = '0190f5a2-c4b8-7d11-a1b2-c3d4e5f60718'
const EVE = '0190f5a2-c4b8-7d11-a1b2-c3d4e5f60719'
const ISSUED = 1_772_366_400_000
const NOW = ISSUED + 20_000
const DIGEST = '0123456789abcdef'.repeat(4)
const ANSWERED = `${ISSUED}.0123456789abcdef`

const CREDENTIAL = { credentialId: 'AQ', publicKey: 'pQEC', rpId: 'shop.example.com' }
const FACTOR = aFactor({
  userId: ADA,
  kind: 'passkey',
  material: passkeyMaterial(CREDENTIAL),
  flags: 'usb',
  mark: ISSUED - 1,
  counter: 7,
})
const SYNCED = { ...FACTOR, flags: 'be bs internal' }

const ASSERTION: Assertion = {
  factor: FACTOR,
  userId: ADA,
  verified: {
    counter: 8,
    verifiesUser: true,
    backupEligible: false,
    backedUp: false,
    userHandle: some(userHandleOf(ADA)),
  },
  challenge: { issuedAtMs: ISSUED, digest: DIGEST },
  nowMs: NOW,
  isAlone: false,
}

type Change = Partial<Omit<Assertion, 'verified'>> & { verified?: Partial<Assertion['verified']> }
const judged = ({ verified, ...change }: Change) =>
  acceptAssertion({ ...ASSERTION, ...change, verified: { ...ASSERTION.verified, ...verified } })

const ALONE = { isAlone: true } as const
const OF_SYNCED = { factor: SYNCED, verified: { backupEligible: true, backedUp: true } } as const

describe('an assertion of a passkey', () => {
  withoutIo()

  const ACCEPTED: ReadonlyArray<
    readonly [string, Change, counter: number, flags: string, noted?: Omit<FactorUse, 'factor'>]
  > = [
    ['as a second factor', {}, 8, 'uv usb'],
    ['without a user handle, as a second factor', { verified: { userHandle: none } }, 8, 'uv usb'],
    ['without user verification, as a second factor', { verified: { verifiesUser: false } }, 8, 'usb'],
    ['alone', ALONE, 8, 'uv usb'],
    ['of a synced passkey', OF_SYNCED, 8, 'uv be bs internal'],
    [
      'of a passkey that is no longer backed up',
      { ...OF_SYNCED, verified: { backupEligible: true } },
      8,
      'uv be internal',
    ],
    [
      'of an authenticator without a counter',
      { factor: { ...FACTOR, counter: 0 }, verified: { counter: 0 } },
      0,
      'uv usb',
    ],
    [
      'whose counter went back, of a synced passkey',
      { ...OF_SYNCED, verified: { ...OF_SYNCED.verified, counter: 6 } },
      7,
      'uv be bs internal',
      { counterWentBack: true },
    ],
    [
      'whose counter stands still, of a synced passkey',
      { ...OF_SYNCED, verified: { ...OF_SYNCED.verified, counter: 7 } },
      7,
      'uv be bs internal',
      { counterWentBack: true },
    ],
    [
      'that now may be synced',
      { verified: { backupEligible: true } },
      8,
      'uv be usb',
      { backupEligible: true },
    ],
    [
      'that now is synced, and has lost its counter with it',
      { verified: { backupEligible: true, backedUp: true, counter: 0 } },
      7,
      'uv be bs usb',
      { backupEligible: true, counterWentBack: true },
    ],
    ['that may not be synced any more', { factor: SYNCED }, 8, 'uv internal', { backupEligible: false }],
    [
      'after one that a clock far ahead dated',
      { factor: { ...FACTOR, mark: NOW + PASSKEY_SECONDS * 1000 + 1 } },
      8,
      'uv usb',
    ],
  ]
  for (const [what, change, counter, flags, noted = {}] of ACCEPTED)
    it(`is accepted ${what}`, () => {
      const { mark, ...former } = change.factor ?? FACTOR
      const factor = { ...former, counter, flags, mark: mark > NOW ? 0 : mark, answered: ANSWERED }
      expect(judged(change))
        .to.have.property('right')
        .deep.equal({ factor, ...noted })
    })

  const REFUSED: ReadonlyArray<readonly [string, string, Change]> = [
    ['of another user', 'user_mismatch', { userId: EVE, verified: { userHandle: none } }],
    ['of a removed passkey', 'user_mismatch', { factor: { ...FACTOR, removed: true } }],
    ['of a factor that is no passkey', 'user_mismatch', { factor: { ...FACTOR, kind: 'totp' } }],
    [
      'with the user handle of another user',
      'user_mismatch',
      { verified: { userHandle: some(userHandleOf(EVE)) } },
    ],
    ['without a user handle, alone', 'user_mismatch', { ...ALONE, verified: { userHandle: none } }],
    [
      'without user verification, alone',
      'user_not_verified',
      { ...ALONE, verified: { verifiesUser: false } },
    ],
    ['of an answered challenge', 'used_challenge', { factor: { ...FACTOR, answered: ANSWERED } }],
    ['of a challenge of the time of the mark', 'used_challenge', { factor: { ...FACTOR, mark: ISSUED } }],
    [
      'of a challenge before the mark',
      'used_challenge',
      { factor: { ...FACTOR, mark: NOW + PASSKEY_SECONDS * 1000 } },
    ],
    [
      'that may not be synced any more, and whose counter went back',
      'counter_went_back',
      { factor: SYNCED, verified: { counter: 6 } },
    ],
    ['that is backed up, and may not be', 'invalid_credential', { verified: { backedUp: true } }],
    ['whose counter went back', 'counter_went_back', { verified: { counter: 6 } }],
    ['whose counter stands still', 'counter_went_back', { verified: { counter: 7 } }],
    ['whose counter is gone', 'counter_went_back', { verified: { counter: 0 } }],
  ]
  for (const [what, refusal, change] of REFUSED)
    it(`is refused ${what}`, () => expect(judged(change)).to.deep.equal(left(refusal)))
})

describe('the challenges that a passkey has answered', () => {
  withoutIo()

  const digestOf = (place: number) => place.toString(16).padStart(64, '0').split('').reverse().join('')
  type Answer = Readonly<{ issuedAtMs: number; digest: string; nowMs: number }>
  const answer = (factor: Factor, { nowMs, ...challenge }: Answer) =>
    acceptAssertion({ ...ASSERTION, factor: { ...factor, counter: 0 }, challenge, nowMs })
  const answers = (all: ReadonlyArray<Answer>) =>
    all.reduce(
      ({ factor, accepted }: Readonly<{ factor: Factor; accepted: ReadonlyArray<boolean> }>, one) => {
        const judged = answer(factor, one)
        return isRight(judged)
          ? { factor: judged.right.factor, accepted: [...accepted, true] }
          : { factor, accepted: [...accepted, false] }
      },
      { factor: { ...FACTOR, mark: 0 }, accepted: [] },
    )

  it('are each answered once, in any order, also of one millisecond', () => {
    const order = fc.shuffledSubarray(
      [0, 0, 1, 2, 3, 5, 8, 13, 21, 34].map((at, place) => ({ at, place })),
      {
        minLength: 2,
      },
    )
    fc.assert(
      fc.property(order, (prompts) => {
        const all = prompts.map(({ at, place }) => ({
          issuedAtMs: ISSUED + at,
          digest: digestOf(place),
          nowMs: NOW,
        }))
        const { factor, accepted } = answers(all)
        expect(accepted).to.not.include(false)
        expect(answers([...all, ...all]).accepted.slice(all.length)).to.not.include(true)
        expect(factor.mark).to.equal(0)
      }),
      { seed: SEED },
    )
  })

  it('are never answered twice, however many and whenever, by clocks that differ by 5 seconds', () => {
    const one = fc.record({
      at: fc.integer({ min: 0, max: 1_000_000 }),
      late: fc.integer({ min: 0, max: 300_000 }),
      skew: fc.integer({ min: -5_000, max: 5_000 }),
    })
    fc.assert(
      fc.property(fc.array(one, { minLength: 1, maxLength: 60 }), (prompts) => {
        const all = prompts
          .map(({ at, late, skew }, place) => ({
            issuedAtMs: ISSUED + at,
            digest: digestOf(place),
            nowMs: ISSUED + at + late + skew,
          }))
          .sort((first, second) => first.nowMs - second.nowMs)
        const { factor } = answers(all)
        expect(factor.answered.split(' ').length).to.be.at.most(MAX_ANSWERED)
        const nowMs = Math.max(...all.map((each) => each.nowMs)) - 5_000
        for (const each of all)
          expect(answer(factor, { ...each, nowMs })).to.deep.equal(left('used_challenge'))
      }),
      { seed: SEED },
    )
  })

  it('are forgotten after 300 seconds, and the mark stands for them', () => {
    const first = { issuedAtMs: ISSUED, digest: digestOf(1), nowMs: ISSUED }
    const later = { issuedAtMs: ISSUED + 300_000, digest: digestOf(2), nowMs: ISSUED + 300_000 }
    const { factor } = answers([first, later])
    expect([factor.mark, factor.answered]).to.deep.equal([
      ISSUED,
      `${ISSUED + 300_000}.${digestOf(2).slice(0, 16)}`,
    ])
  })

  it('are sixteen; of more, the oldest and all before it are refused', () => {
    const all = Array.from({ length: MAX_ANSWERED + 1 }, (_, place) => ({
      issuedAtMs: ISSUED + 10 * place,
      digest: digestOf(place),
      nowMs: NOW,
    }))
    const { factor, accepted } = answers(all)
    expect(accepted).to.not.include(false)
    expect([factor.mark, factor.answered.split(' ').length]).to.deep.equal([ISSUED, MAX_ANSWERED])
    const other = { digest: digestOf(99), nowMs: NOW }
    expect(answer(factor, { ...other, issuedAtMs: ISSUED })).to.deep.equal(left('used_challenge'))
    expect(isRight(answer(factor, { ...other, issuedAtMs: ISSUED + 1 }))).to.equal(true)
  })

  it('of a clock that was an hour ahead lock no user out', () => {
    const hour = 3_600_000
    const ahead = Array.from({ length: 2 * MAX_ANSWERED }, (_, place) => ({
      issuedAtMs: ISSUED + hour + place,
      digest: digestOf(place),
      nowMs: NOW + hour,
    }))
    const corrected = [1, 2, 3].map((place) => ({
      issuedAtMs: ISSUED + place,
      digest: digestOf(100 + place),
      nowMs: NOW,
    }))
    expect(answers([...ahead, ...corrected, ...corrected]).accepted.slice(ahead.length)).to.deep.equal([
      ...[true, true, true],
      ...[false, false, false],
    ])
  })
})
