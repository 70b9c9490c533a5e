import { expect } from 'chai'
import * as fc from 'fast-check'
import { none, some, toUndefined } from 'fp-ts/lib/Option.js'
import { PASSWORD_CHANGE_CODES, passwordChangeCode } from '../../domain/password-change.ts'
import {
  checksOf,
  minimumOf,
  NOTHING_FOUND,
  needsLookUp,
  PASSWORD_WEAKNESSES,
  type PasswordFacts,
  type PasswordPolicy,
  type PasswordWeakness,
  weaknessOf,
} from '../../domain/password-policy.ts'
import { RECOVERY_CODES, recoveryCode } from '../../domain/recovery.ts'
import { REGISTRATION_CODES } from '../../domain/registration.ts'
import { SEED, withoutIo } from './no-io.ts'

const CONTRACT: PasswordPolicy = { kind: 'contract' }
const NIST: PasswordPolicy = { kind: 'nist', minCodePoints: 15 }

const FIFTEEN = 'abcdefghijklmno'

describe('a password policy', () => {
  withoutIo()

  const FACTS: ReadonlyArray<
    readonly [facts: string, found: Partial<PasswordFacts>, weakness: PasswordWeakness | undefined]
  > = [
    ['has no finding', {}, undefined],
    ['leaked', { leaked: true }, 'PasswordLeaked'],
    ['has names and a strong rest', { hasNames: true }, undefined],
    ['has names and a weak rest', { hasNames: true, estimate: 'guessable' }, 'PasswordFromNames'],
    ['has names and common words', { hasNames: true, estimate: 'common' }, 'PasswordFromNames'],
    ['is made of common words', { estimate: 'common' }, 'PasswordCommon'],
    ['is made of patterns', { estimate: 'guessable' }, 'PasswordGuessable'],
    ['has leaked and is common', { leaked: true, estimate: 'common' }, 'PasswordLeaked'],
    [
      'has leaked and is made of names',
      { leaked: true, hasNames: true, estimate: 'common' },
      'PasswordLeaked',
    ],
  ]
  for (const [facts, found, weakness] of FACTS) {
    it(`of NIST reports ${weakness ?? 'no weakness'} for a password of 15 code points that ${facts}`, () => {
      expect(toUndefined(weaknessOf(NIST, FIFTEEN, { ...NOTHING_FOUND, ...found }))).to.equal(weakness)
    })

    it(`of NIST reports that a password of 14 code points is too short if it ${facts}`, () => {
      const result = weaknessOf(NIST, FIFTEEN.slice(1), { ...NOTHING_FOUND, ...found })
      expect(result).to.deep.equal(some('PasswordTooShort'))
    })

    it(`of the contract accepts a password that ${facts}`, () => {
      for (const password of [FIFTEEN, 'x', ' ', '\0']) {
        expect(weaknessOf(CONTRACT, password, { ...NOTHING_FOUND, ...found })).to.deep.equal(none)
      }
    })
  }

  const LENGTHS: ReadonlyArray<readonly [what: string, password: string, codePoints: number]> = [
    ['ASCII', 'a'.repeat(15), 15],
    ['letters beyond ASCII', 'é'.repeat(15), 15],
    ['letters of two code points each', 'e\u0301'.repeat(8), 16],
    ['pictures of two UTF-16 units each', '💥'.repeat(15), 15],
    ['pictures of several code points each', '👩‍🚀'.repeat(5), 15],
    ['spaces', ' '.repeat(15), 15],
  ]
  for (const [what, password, codePoints] of LENGTHS) {
    it(`counts ${what} in code points`, () => {
      const weaknessAt = (minCodePoints: number) =>
        weaknessOf({ kind: 'nist', minCodePoints }, password, NOTHING_FOUND)
      expect(weaknessAt(codePoints)).to.deep.equal(none)
      expect(weaknessAt(codePoints + 1)).to.deep.equal(some('PasswordTooShort'))
    })
  }

  it('looks nothing up if that cannot change the result', () => {
    expect(needsLookUp(CONTRACT, FIFTEEN)).to.equal(false)
    expect(needsLookUp(NIST, FIFTEEN)).to.equal(true)
    expect(needsLookUp(NIST, FIFTEEN.slice(1))).to.equal(false)
  })

  it('has the configured minimum, or one code point', () => {
    expect(minimumOf(NIST)).to.equal(15)
    expect(minimumOf(CONTRACT)).to.equal(1)
  })

  it('has one code for each reason, the same on each route that sets a new password', () => {
    const reasons = [...PASSWORD_WEAKNESSES, 'PasswordRule1', 'PasswordRule12'] as const
    for (const codeOf of [passwordChangeCode, recoveryCode])
      expect(reasons.map(codeOf)).to.deep.equal([7, 8, 9, 10, 11, 6, 6])
    expect(PASSWORD_WEAKNESSES.map((weakness) => REGISTRATION_CODES[weakness])).to.deep.equal([
      6, 7, 8, 9, 10,
    ])
    expect(REGISTRATION_CODES.PasswordRule).to.equal(5)
  })

  for (const [route, codes] of Object.entries({
    'a password change': PASSWORD_CHANGE_CODES,
    'a recovery': RECOVERY_CODES,
    'a registration': REGISTRATION_CODES,
  }))
    it(`shares no code with another problem of ${route}`, () => {
      const all = Object.values(codes)
      expect(new Set(all).size).to.equal(all.length)
    })

  it('names its checks: none for the contract, and leaked passwords only with a list', () => {
    expect(checksOf({ ...CONTRACT, hasLeakedList: true })).to.deep.equal([])
    expect(checksOf(NIST)).to.deep.equal(['names', 'common', 'guessable'])
    expect(checksOf({ ...NIST, hasLeakedList: true })).to.deep.equal([
      'leaked',
      'names',
      'common',
      'guessable',
    ])
  })

  it('returns the first weakness that applies, in their order', () => {
    const facts = fc.record({
      leaked: fc.boolean(),
      hasNames: fc.boolean(),
      estimate: fc.constantFrom<PasswordFacts['estimate'][]>('strong', 'common', 'guessable'),
    })
    const length = fc.integer({ min: 1, max: 80 })
    fc.assert(
      fc.property(length, fc.integer({ min: 8, max: 64 }), facts, (codePoints, minCodePoints, found) => {
        const applies: Readonly<Record<PasswordWeakness, boolean>> = {
          PasswordTooShort: codePoints < minCodePoints,
          PasswordLeaked: found.leaked,
          PasswordFromNames: found.hasNames && found.estimate !== 'strong',
          PasswordCommon: found.estimate === 'common',
          PasswordGuessable: found.estimate === 'guessable',
        }
        const result = weaknessOf({ kind: 'nist', minCodePoints }, '💥'.repeat(codePoints), found)
        expect(toUndefined(result)).to.equal(PASSWORD_WEAKNESSES.find((weakness) => applies[weakness]))
      }),
      { seed: SEED, numRuns: 500 },
    )
  })
})
