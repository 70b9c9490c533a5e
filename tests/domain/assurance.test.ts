import { expect } from 'chai'
import {
  amrOf,
  assuranceClaims,
  assuranceOf,
  isFresh as isFreshToken,
  isMethods,
  isVouchedAlone,
  type Methods,
  methodsAfter,
  reaches,
  sessionAssurance,
} from '../../domain/assurance.ts'
import { withoutIo } from './no-io.ts'

/** Each combination of methods, and what it proves. */
const PROVES: Readonly<Record<Methods, readonly [acr: string, amr: ReadonlyArray<string>]>> = {
  password: ['aal1', ['pwd']],
  'password totp': ['aal2', ['pwd', 'otp', 'mfa']],
  'password recovery_code': ['aal2', ['pwd', 'recovery_code', 'mfa']],
  'password passkey': ['aal2', ['pwd', 'pop', 'user', 'mfa']],
  identity: ['aal1', ['fed']],
  'identity totp': ['aal2', ['fed', 'otp', 'mfa']],
  'identity recovery_code': ['aal2', ['fed', 'recovery_code', 'mfa']],
  'identity passkey': ['aal2', ['fed', 'pop', 'user', 'mfa']],
  verified_passkey: ['aal2', ['pop', 'user', 'mfa']],
  vouched: ['aal1', ['vouched']],
  'vouched totp': ['aal2', ['vouched', 'otp', 'mfa']],
  'vouched recovery_code': ['aal2', ['vouched', 'recovery_code', 'mfa']],
  'vouched passkey': ['aal2', ['vouched', 'pop', 'user', 'mfa']],
  vouched_fed: ['aal1', ['vouched', 'fed']],
  'vouched_fed totp': ['aal2', ['vouched', 'fed', 'otp', 'mfa']],
  'vouched_fed recovery_code': ['aal2', ['vouched', 'fed', 'recovery_code', 'mfa']],
  'vouched_fed passkey': ['aal2', ['vouched', 'fed', 'pop', 'user', 'mfa']],
  vouched_email: ['aal1', ['vouched', 'email']],
  'vouched_email totp': ['aal2', ['vouched', 'email', 'otp', 'mfa']],
  'vouched_email recovery_code': ['aal2', ['vouched', 'email', 'recovery_code', 'mfa']],
  'vouched_email passkey': ['aal2', ['vouched', 'email', 'pop', 'user', 'mfa']],
  vouched_sms: ['aal1', ['vouched', 'sms']],
  'vouched_sms totp': ['aal2', ['vouched', 'sms', 'otp', 'mfa']],
  'vouched_sms recovery_code': ['aal2', ['vouched', 'sms', 'recovery_code', 'mfa']],
  'vouched_sms passkey': ['aal2', ['vouched', 'sms', 'pop', 'user', 'mfa']],
}

const AT = {
  methods: 'password' as Methods,
  authenticatedAtSeconds: 90,
}

describe('the assurance of an authentication', () => {
  withoutIo()

  for (const [methods, [acr, amr]] of Object.entries(PROVES) as ReadonlyArray<
    [Methods, (typeof PROVES)[Methods]]
  >)
    it(`by ${methods} is ${acr}, and ${amr.join(' ')}`, () => {
      expect([assuranceOf(methods), amrOf(methods)]).to.deep.equal([acr, amr])
      expect(sessionAssurance({ methods })).to.deep.equal({ acr, amr })
      expect([isMethods(methods), isVouchedAlone({ amr })]).to.deep.equal([
        true,
        /^vouched\w*$/.test(methods),
      ])
      expect([reaches(assuranceOf(methods), 'aal1'), reaches(assuranceOf(methods), 'aal2')]).to.deep.equal([
        true,
        acr === 'aal2',
      ])
    })

  for (const [before, used, after] of [
    ['password totp', 'passkey', 'password passkey'],
    ['verified_passkey', 'passkey', 'verified_passkey'],
    ['verified_passkey', 'totp', 'password totp'],
    ['verified_passkey', 'password', 'password'],
    ['verified_passkey', 'identity', 'identity'],
    ['password', 'identity', 'identity'],
    ['identity', 'totp', 'identity totp'],
    ['identity totp', 'passkey', 'identity passkey'],
    ['vouched_fed', 'totp', 'vouched_fed totp'],
    ['vouched_fed totp', 'passkey', 'vouched_fed passkey'],
    ['vouched', 'recovery_code', 'vouched recovery_code'],
    ['vouched_sms totp', 'password', 'password'],
  ] as const)
    it(`by ${before}, and then by ${used}, is ${after}`, () => {
      expect(methodsAfter({ methods: before }, used)).to.equal(after)
    })

  it('is none of other texts', () => {
    for (const text of ['', 'totp', 'vouched_', 'vouched_fed  totp', 'vouched vouched', 'constructor', 'pwd'])
      expect(isMethods(text), text).to.equal(false)
  })

  it('is claimed with the time of the last authentication', () => {
    expect(assuranceClaims(AT)).to.deep.equal({ auth_time: 90, acr: 'aal1', amr: ['pwd'] })
  })
})

describe('a fresh token', () => {
  withoutIo()

  const SESSION = { authenticatedAtSeconds: 100 }
  const at = (seconds: number) => ({ auth_time: seconds, acr: 'aal1', amr: ['pwd'] })
  const NOW = 10_000

  for (const [name, seconds, isFresh] of [
    ['now', NOW, true],
    ['600 seconds ago', NOW - 600, true],
    ['601 seconds ago', NOW - 601, false],
    ['5 seconds ahead, by a clock that differs', NOW + 5, true],
    ['6 seconds ahead, by a clock that was wrong', NOW + 6, false],
  ] as const)
    it(`${isFresh ? 'is' : 'is not'} one whose user was authenticated ${name}`, () => {
      expect(isFreshToken(at(seconds), SESSION, NOW)).to.equal(isFresh)
    })

  it('is none that is older than the last authentication in its session', () => {
    const steppedUp = { ...SESSION, authenticatedAtSeconds: NOW - 9 }
    expect(isFreshToken(at(NOW - 10), steppedUp, NOW)).to.equal(false)
    expect(isFreshToken(at(NOW - 9), steppedUp, NOW)).to.equal(true)
  })
})
