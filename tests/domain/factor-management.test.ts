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
const USER = { passwordRecord: 'a record' }
const WITHOUT_PASSWORD = { passwordRecord: '' }
const GOOGLE = aFactor({ id: 'google', kind: 'identity' })
const GITHUB = aFactor({ id: 'github', kind: 'identity' })
const PHONE = aFactor({ id: 'phone', kind: 'passkey', flags: 'uv be' })
const KEY = aFactor({ id: 'key', kind: 'passkey', flags: 'usb' })

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
    expect(validateFactorRemoval({ factorId: 'app' }, FACTORS, USER)).to.deep.equal(right(APP))
  })

  for (const [what, user, factors, removed, isLast] of [
    ['the only identity', WITHOUT_PASSWORD, [GOOGLE], GOOGLE, true],
    ['the only passkey that verifies its user', WITHOUT_PASSWORD, [PHONE], PHONE, true],
    ['the only identity beside a second factor', WITHOUT_PASSWORD, [APP, CODES, GOOGLE, KEY], GOOGLE, true],
    ['one of two identities', WITHOUT_PASSWORD, [GOOGLE, GITHUB], GOOGLE, false],
    ['an identity beside a passkey that verifies its user', WITHOUT_PASSWORD, [GOOGLE, PHONE], GOOGLE, false],
    ['such a passkey beside an identity', WITHOUT_PASSWORD, [GOOGLE, PHONE], PHONE, false],
    ['the only identity beside a password', USER, [GOOGLE], GOOGLE, false],
    ['an authenticator app, which signs nobody in', WITHOUT_PASSWORD, [APP, CODES], APP, false],
    ['a passkey that verifies nobody', WITHOUT_PASSWORD, [KEY], KEY, false],
  ] as const)
    it(`${isLast ? 'keeps' : 'may take'} ${what}`, () => {
      expect(validateFactorRemoval({ factorId: removed.id }, factors, user)).to.deep.equal(
        isLast ? left(['LastWayIn']) : right(removed),
      )
    })

  for (const [factorId, problem] of [
    [undefined, 'FactorIdMissing'],
    ['', 'FactorIdMissing'],
    ['none', 'FactorNotYours'],
    ['codes', 'FactorNotYours'],
  ] as const)
    it(`is refused for ${factorId}: ${problem}`, () => {
      expect(validateFactorRemoval({ factorId }, FACTORS, USER)).to.deep.equal(left([problem]))
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
