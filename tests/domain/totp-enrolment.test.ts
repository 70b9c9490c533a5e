import { expect } from 'chai'
import fc from 'fast-check'
import { left, right } from 'fp-ts/lib/Either.js'
import { none, some } from 'fp-ts/lib/Option.js'
import { MAX_FACTORS } from '../../domain/factor.ts'
import { validateEnrolmentStart, validateFactorName } from '../../domain/factor-enrolment.ts'
import {
  enrollingApp,
  enrolmentParts,
  enrolmentSubject,
  type TotpEnrolmentRequest,
  validateTotpEnrolment,
} from '../../domain/totp-enrolment.ts'
import { aUser } from '../testkit/builders.ts'
import { SEED, withoutIo } from './no-io.ts'

describe('the start of an enrolment', () => {
  withoutIo()

  const factors = (count: number) => Array.from({ length: count }, () => ({ kind: 'totp' }) as const)
  const verified = aUser({ emailVerified: true })
  const unverified = aUser({ emailVerified: false })

  for (const [name, user, count, problems] of [
    ['a verified user without factors', verified, 0, undefined],
    ['a verified user with one less than the most', verified, MAX_FACTORS - 1, undefined],
    ['a verified user with the most', verified, MAX_FACTORS, ['TooManyFactors']],
    ['an unverified user', unverified, 0, ['EmailNotVerified']],
    ['an unverified user with the most', unverified, MAX_FACTORS, ['EmailNotVerified', 'TooManyFactors']],
  ] as const)
    it(`${problems === undefined ? 'is open to' : 'is refused to'} ${name}`, () => {
      const all = [...factors(count), { kind: 'recovery_codes' } as const]
      expect(validateEnrolmentStart(user, all)).to.deep.equal(
        problems === undefined ? right(user) : left(problems),
      )
    })
})

describe('the state of an enrolment', () => {
  withoutIo()

  it('has the secret and the id of the app, for any secret', () => {
    fc.assert(
      fc.property(fc.uint8Array({ minLength: 20, maxLength: 20 }), (secret) => {
        const app = { secret, factorId: 'app' }
        expect(enrollingApp(enrolmentParts(app))).to.deep.equal(some(app))
      }),
      { seed: SEED },
    )
  })

  it('belongs to the user, the session, the password and the factors', () => {
    const user = { id: 'ada', passwordVersion: 3, allEndedVersion: 2 }
    const of = (sessionId: string, one = user) => String(enrolmentSubject({ user: one, sessionId }))
    const all = [
      of('s'),
      of('t'),
      of('s', { ...user, id: 'eve' }),
      of('s', { ...user, passwordVersion: 4 }),
      of('s', { ...user, allEndedVersion: 3 }),
    ]
    expect(new Set(all).size).to.equal(all.length)
  })
})

describe('the end of an enrolment', () => {
  withoutIo()

  const GIVEN: TotpEnrolmentRequest = { enrolment: 'sealed', totp: '123456', name: 'phone' }
  const OPEN = { enrolment: some('state'), step: some(7) }

  it('returns the state, the step and the name', () => {
    expect(validateTotpEnrolment(GIVEN, OPEN)).to.deep.equal(
      right({ enrolment: 'state', step: 7, name: 'phone' }),
    )
    for (const name of [undefined, ''])
      expect(validateTotpEnrolment({ ...GIVEN, name }, OPEN)).to.deep.equal(
        right({ enrolment: 'state', step: 7, name: 'Authenticator app' }),
      )
  })

  const ENDED = { enrolment: none, step: none }
  for (const [name, request, proof, problems] of [
    ['nothing', {}, ENDED, ['EnrolmentMissing', 'TotpMissing']],
    ['no code', { enrolment: 'x' }, OPEN, ['TotpMissing']],
    ['no code for an ended enrolment', { enrolment: 'x' }, ENDED, ['EnrolmentEnded', 'TotpMissing']],
    ['a code alone', { totp: '1' }, ENDED, ['EnrolmentMissing']],
    ['a wrong code', GIVEN, { ...OPEN, step: none }, ['TotpWrong']],
    ['a code for an ended enrolment', GIVEN, ENDED, ['EnrolmentEnded']],
    [
      'a wrong code and name',
      { ...GIVEN, name: '\n' },
      { ...OPEN, step: none },
      ['TotpWrong', 'NameMalformed'],
    ],
    ['nothing but a wrong name', { name: ' ' }, ENDED, ['EnrolmentMissing', 'TotpMissing', 'NameMalformed']],
  ] as const)
    it(`reports for ${name}: ${problems.join(', ')}`, () => {
      const request_ = { enrolment: undefined, totp: undefined, name: undefined, ...request }
      expect(validateTotpEnrolment<string>(request_, proof)).to.deep.equal(left(problems))
    })
})

describe('the name of a factor', () => {
  withoutIo()

  for (const name of ['a', 'a'.repeat(64), '🔑'.repeat(64), 'Ada’s phone'])
    it(`may be ${name.slice(0, 12)}, with ${[...name].length} characters`, () => {
      expect(validateFactorName(name)).to.deep.equal(right(name))
    })
  for (const name of ['', ' ', 'a'.repeat(65), 'a\nb', 'a\u202eb', '\ud800'])
    it(`must not be ${JSON.stringify(name.slice(0, 12))}, with ${[...name].length} characters`, () => {
      expect(validateFactorName(name)).to.deep.equal(left(['NameMalformed']))
    })
})
