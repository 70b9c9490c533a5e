import { expect } from 'chai'
import { left, right } from 'fp-ts/lib/Either.js'
import { mixesReset } from '../../domain/application.ts'
import {
  validateFactorRemoval,
  validateFactorRenaming,
  validateRecoveryCodes,
} from '../../domain/factor-management.ts'
import { aFactor } from '../testkit/builders.ts'
import { withoutIo } from './no-io.ts'

const APP = aFactor({ id: 'app', name: 'phone' })
const CODES = aFactor({ id: 'codes', kind: 'recovery_codes', name: '' })
const FACTORS = [APP, CODES]

describe('a new name of a factor', () => {
  withoutIo()

  it('replaces the former one, and nothing else', () => {
    const request = { factorId: 'app', name: 'tablet' }
    expect(validateFactorRenaming(request, FACTORS)).to.deep.equal(right({ ...APP, name: 'tablet' }))
  })

  for (const [factorId, name, problems] of [
    [undefined, undefined, ['FactorIdMissing', 'NameMissing']],
    ['', '', ['FactorIdMissing', 'NameMissing']],
    ['app', '', ['NameMissing']],
    ['none', 'tablet', ['FactorNotYours']],
    ['codes', 'tablet', ['FactorNotYours']],
    ['app', ' ', ['NameMalformed']],
    ['none', 'a'.repeat(65), ['FactorNotYours', 'NameMalformed']],
  ] as const)
    it(`is refused for ${factorId} and ${JSON.stringify(name?.slice(0, 9))}: ${problems.join(', ')}`, () => {
      expect(validateFactorRenaming({ factorId, name }, FACTORS)).to.deep.equal(left(problems))
    })
})

describe('the removal of a factor', () => {
  withoutIo()

  it('is of a factor of the user', () => {
    expect(validateFactorRemoval({ factorId: 'app' }, FACTORS)).to.deep.equal(right(APP))
  })

  for (const [factorId, problem] of [
    [undefined, 'FactorIdMissing'],
    ['', 'FactorIdMissing'],
    ['none', 'FactorNotYours'],
    ['codes', 'FactorNotYours'],
  ] as const)
    it(`is refused for ${factorId}: ${problem}`, () => {
      expect(validateFactorRemoval({ factorId }, FACTORS)).to.deep.equal(left([problem]))
    })
})

describe('new recovery codes', () => {
  withoutIo()

  it('are for users with another factor', () => {
    expect(validateRecoveryCodes(FACTORS)).to.deep.equal(right(FACTORS))
    for (const factors of [[], [CODES]])
      expect(validateRecoveryCodes(factors)).to.deep.equal(left(['NoFactor']))
  })
})

describe('an application that recovers accounts and resets factors', () => {
  withoutIo()

  it('can take over any account, unless it is revoked', () => {
    const scope = ['users:recover', 'users:reset_factors'] as const
    expect(mixesReset({ scope, revoked: false })).to.equal(true)
    expect(mixesReset({ scope, revoked: true })).to.equal(false)
    for (const one of scope) expect(mixesReset({ scope: [one], revoked: false })).to.equal(false)
  })
})
