import { expect } from 'chai'
import { isLeft, isRight } from 'fp-ts/lib/Either.js'
import {
  type Factor,
  isDue,
  MAX_FACTORS,
  MAX_IDENTITIES,
  methodsFor,
  recoveryCodesId,
  recoveryCodesSubject,
  removedFactor,
  withFactor,
  withoutFactor,
} from '../../domain/factor.ts'
import { aFactor } from '../testkit/builders.ts'
import { withoutIo } from './no-io.ts'

const TOTP = aFactor({ id: 'b', userId: 'ada' })
const OTHER = aFactor({ id: 'c', userId: 'ada' })
const CODES = aFactor({ id: 'a', userId: 'ada', kind: 'recovery_codes', name: '', mark: 0, counter: 10 })
const PASSKEY = aFactor({ id: 'd', userId: 'ada', kind: 'passkey' })
const USED_UP = { ...CODES, material: '', counter: 0 }
const IDENTITY = aFactor({ id: 'i', userId: 'ada', kind: 'identity', mark: 0, material: '[]' })
const GONE = removedFactor(TOTP)

const DIGEST_OF_ADA = '02919258e8ac1f4991f8ecd728587239462783b95a9ef4a7af258f5dca559457'
const ID_OF_ADA = '02919258-e8ac-8f49-91f8-ecd728587239'

describe('the factors of a user', () => {
  withoutIo()

  const DUE: ReadonlyArray<readonly [string, ReadonlyArray<Factor>, boolean, ReadonlyArray<string>]> = [
    ['no factor', [], false, []],
    ['an authenticator app', [TOTP], true, ['totp']],
    ['two authenticator apps', [TOTP, OTHER], true, ['totp']],
    ['an authenticator app and recovery codes', [CODES, TOTP], true, ['totp', 'recovery_code']],
    ['an authenticator app and used recovery codes', [USED_UP, TOTP], true, ['totp']],
    ['recovery codes alone', [CODES], false, []],
    ['a removed authenticator app', [GONE], false, []],
    ['recovery codes and a removed authenticator app', [CODES, GONE], false, []],
    ['an authenticator app and removed recovery codes', [removedFactor(CODES), TOTP], true, ['totp']],
    ['a passkey', [PASSKEY], true, ['passkey']],
    ['an identity', [IDENTITY], false, []],
    ['an identity and recovery codes', [CODES, IDENTITY], false, []],
    ['an identity and an authenticator app', [IDENTITY, TOTP], true, ['totp']],
    ['all kinds', [CODES, PASSKEY, TOTP, IDENTITY], true, ['totp', 'passkey', 'recovery_code']],
  ]
  for (const [what, factors, due, methods] of DUE)
    it(`${what}: ${due ? 'a second factor is due' : 'nothing is due'}, and the methods are ${methods.join(', ') || 'none'}`, () => {
      expect(isDue(factors)).to.equal(due)
      expect(methodsFor(factors, true)).to.deep.equal(methods)
      expect(methodsFor(factors, false)).to.deep.equal(methods.filter((method) => method !== 'passkey'))
    })

  it('are ascending by id with a new one', () => {
    expect(withFactor([CODES, OTHER], TOTP))
      .to.have.property('right')
      .deep.equal([CODES, TOTP, OTHER])
    expect(withFactor([], TOTP)).to.have.property('right').deep.equal([TOTP])
  })

  it('contain a changed one once', () => {
    const renamed = { ...TOTP, name: 'phone' }
    expect(withFactor([CODES, TOTP], renamed))
      .to.have.property('right')
      .deep.equal([CODES, renamed])
  })

  it(`are at most ${MAX_FACTORS}, without the recovery codes`, () => {
    const full = Array.from({ length: MAX_FACTORS }, (_, index) => aFactor({ id: `f${index}` }))
    expect(isRight(withFactor(full.slice(1), TOTP))).to.equal(true)
    expect(withFactor(full, TOTP)).to.have.property('left', 'TooManyFactors')
    expect(isLeft(withFactor([...full, CODES], TOTP))).to.equal(true)
    expect(isRight(withFactor(full, CODES))).to.equal(true)
    expect(isRight(withFactor(full, { ...aFactor({ id: 'f0' }), name: 'phone' }))).to.equal(true)
  })

  it(`may be ${MAX_IDENTITIES} identities beside them`, () => {
    const identities = Array.from({ length: MAX_IDENTITIES }, (_, at) => ({ ...IDENTITY, id: `i${at}` }))
    const full = Array.from({ length: MAX_FACTORS }, (_, index) => aFactor({ id: `f${index}` }))
    expect(isRight(withFactor([...identities.slice(1), ...full], IDENTITY))).to.equal(true)
    expect(withFactor(identities, IDENTITY)).to.have.property('left', 'TooManyFactors')
    expect(isRight(withFactor(identities, TOTP))).to.equal(true)
  })

  const REMOVALS: ReadonlyArray<readonly [string, ReadonlyArray<Factor>, string, ReadonlyArray<Factor>]> = [
    ['of one of two', [TOTP, OTHER], 'b', [OTHER]],
    ['of one of two leaves the recovery codes', [CODES, TOTP, OTHER], 'c', [CODES, TOTP]],
    ['of the last one takes the recovery codes along', [CODES, TOTP], 'b', []],
    ['of the recovery codes leaves the others', [CODES, TOTP], 'a', [TOTP]],
    ['of the last second factor leaves identities', [CODES, IDENTITY, TOTP], 'b', [IDENTITY]],
    [
      'of one of two identities leaves the other',
      [IDENTITY, { ...IDENTITY, id: 'j' }],
      'i',
      [{ ...IDENTITY, id: 'j' }],
    ],
    ['of the last identity leaves a second factor', [CODES, IDENTITY, TOTP], 'i', [CODES, TOTP]],
    ['of an unknown one leaves all', [CODES, TOTP], 'x', [CODES, TOTP]],
  ]
  for (const [what, factors, id, rest] of REMOVALS)
    it(`the removal ${what}`, () => {
      expect(withoutFactor(factors, id)).to.deep.equal(rest)
    })
})

describe('a removed factor', () => {
  withoutIo()

  it('keeps its mark and its counter, and holds neither name nor secret nor flags', () => {
    const factor = aFactor({ name: 'phone', material: 'secret', mark: 7, counter: 3, flags: 'uv be' })
    expect(removedFactor(factor)).to.deep.equal({
      ...factor,
      name: '',
      material: '',
      flags: '',
      removed: true,
    })
  })
})

describe('the id of recovery codes', () => {
  withoutIo()

  it('is a UUID of version 8 that follows from the user', () => {
    expect(recoveryCodesSubject('ada')).to.equal('recovery_codes ada')
    // printf 'recovery_codes ada' | sha256sum
    expect(recoveryCodesId(DIGEST_OF_ADA)).to.equal(ID_OF_ADA)
  })

  it('has the variant of RFC 9562 with any digest', () => {
    for (const digit of '0123456789abcdef')
      expect(recoveryCodesId(digit.repeat(64))).to.match(
        /^[0-9a-f]{8}-[0-9a-f]{4}-8[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/,
      )
  })

  it('differs for each digest', () => {
    expect(recoveryCodesId('5e'.repeat(32))).to.not.equal(recoveryCodesId('5f'.repeat(32)))
  })
})
