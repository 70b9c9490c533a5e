import { expect } from 'chai'
import { left, right } from 'fp-ts/lib/Either.js'
import { none, some } from 'fp-ts/lib/Option.js'
import type { Factor } from '../../domain/factor.ts'
import {
  acceptRecoveryCode,
  acceptTotp,
  type SecondFactorProblem,
  type SecondFactorRequest,
  validateSecondFactor,
} from '../../domain/second-factor.ts'
import { withoutIo } from './no-io.ts'

const FACTOR: Factor = {
  id: 'app',
  userId: 'ada',
  kind: 'totp',
  name: 'Phone',
  material: 'wrapped',
  mark: 99,
  counter: 0,
  answered: '',
  flags: '',
  createdAtSeconds: 1,
  usedAtSeconds: none,
  removed: false,
  version: 3,
}

describe('the second step of a sign-in', () => {
  withoutIo()

  const token = 'ost_'
  const totp = '123456'
  const recoveryCode = 'abcd'
  const USABLE = some('the sign-in')
  const ENDED = none

  const CASES: ReadonlyArray<
    readonly [
      what: string,
      request: SecondFactorRequest,
      waiting: typeof USABLE | typeof ENDED,
      problems: ReadonlyArray<SecondFactorProblem>,
    ]
  > = [
    ['no fields', { token: undefined }, ENDED, ['ProofMissing', 'TokenMissing']],
    ['empty fields', { token: '', totp: '', recoveryCode: '' }, ENDED, ['ProofMissing', 'TokenMissing']],
    ['a proof without token', { token: undefined, totp }, ENDED, ['TokenMissing']],
    ['a token without proof', { token }, USABLE, ['ProofMissing']],
    ['an ended token without proof', { token }, ENDED, ['ProofMissing', 'TokenEnded']],
    ['a proof beside an ended token', { token, totp }, ENDED, ['TokenEnded']],
    ['two proofs', { token, totp, recoveryCode }, USABLE, ['ProofMissing']],
    ['three proofs', { token, totp, recoveryCode, credential: '{}' }, USABLE, ['ProofMissing']],
    ['malformed Unicode', { token, totp: '\ud800' }, USABLE, ['ProofMissing']],
    ['a code', { token, totp }, USABLE, []],
    ['a code beside an empty field', { token, totp: '', recoveryCode }, USABLE, []],
  ]
  for (const [what, request, waiting, problems] of CASES)
    it(`with ${what} has ${problems.length === 0 ? 'no problem' : problems.join(' and ')}`, () => {
      const valid = validateSecondFactor(request, waiting)
      if (problems.length > 0) {
        expect(valid).to.have.property('_tag', 'Left')
        expect('left' in valid && [...valid.left].sort()).to.deep.equal(problems)
      } else {
        const sent = request.totp === totp ? totp : recoveryCode
        const method = sent === totp ? 'totp' : 'recovery_code'
        expect(valid).to.deep.equal(right({ waiting: 'the sign-in', proof: { method, sent } }))
      }
    })
})

describe('a code of an authenticator app', () => {
  withoutIo()

  const candidates = [
    { step: 99, code: '000099' },
    { step: 100, code: '000100' },
    { step: 101, code: '000101' },
  ]
  const other = { ...FACTOR, id: 'other', mark: 0 }
  const ofOther = candidates.map(({ step }) => ({ step, code: `9${step}`.padStart(6, '9') }))
  const APPS = [
    { factor: FACTOR, candidates },
    { factor: other, candidates: ofOther },
  ]

  it('moves the mark of its app', () => {
    expect(acceptTotp(APPS, '000100', 100)).to.deep.equal(
      right({ factor: { ...FACTOR, mark: 100 }, second: 'totp' }),
    )
    expect(acceptTotp(APPS, '999101', 100)).to.deep.equal(
      right({ factor: { ...other, mark: 101 }, second: 'totp' }),
    )
  })

  it('is refused if no app shows it, or if there is no app', () => {
    expect(acceptTotp(APPS, '123456', 100)).to.deep.equal(left('wrong_code'))
    expect(acceptTotp(APPS, '', 100)).to.deep.equal(left('wrong_code'))
    expect(acceptTotp([], '000100', 100)).to.deep.equal(left('wrong_code'))
  })

  it('is used up with the mark', () => {
    expect(acceptTotp(APPS, '000099', 100)).to.deep.equal(left('used_code'))
  })

  it('is used up for every app with the same secret', () => {
    const twins = [
      { factor: other, candidates },
      { factor: { ...FACTOR, mark: 100 }, candidates },
    ]
    expect(acceptTotp(twins, '000100', 100)).to.deep.equal(left('used_code'))
    expect(acceptTotp([...twins].reverse(), '000100', 100)).to.deep.equal(left('used_code'))
    expect(acceptTotp(twins, '000101', 100)).to.have.property('_tag', 'Right')
  })
})

describe('a recovery code', () => {
  withoutIo()

  const codes: Factor = { ...FACTOR, kind: 'recovery_codes', material: 'one two three', mark: 0, counter: 3 }

  it('leaves the others', () => {
    const used = { ...codes, material: 'one three', counter: 2 }
    expect(acceptRecoveryCode(codes, 'two')).to.deep.equal(right({ factor: used, second: 'recovery_code' }))
    expect(acceptRecoveryCode(used, 'two')).to.deep.equal(left('wrong_recovery_code'))
  })

  it('may be the last one', () => {
    const last = { ...codes, material: 'one', counter: 1 }
    const empty = { ...codes, material: '', counter: 0 }
    expect(acceptRecoveryCode(last, 'one')).to.deep.equal(right({ factor: empty, second: 'recovery_code' }))
    expect(acceptRecoveryCode(empty, 'one')).to.deep.equal(left('wrong_recovery_code'))
  })

  it('is refused without codes', () => {
    expect(acceptRecoveryCode(undefined, 'one')).to.deep.equal(left('wrong_recovery_code'))
  })
})
