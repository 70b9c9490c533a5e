import { expect } from 'chai'
import {
  amrOf,
  assuranceClaims,
  assuranceOf,
  isFresh as isFreshToken,
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
  verified_passkey: ['aal2', ['pop', 'user', 'mfa']],
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
      expect([reaches(assuranceOf(methods), 'aal1'), reaches(assuranceOf(methods), 'aal2')]).to.deep.equal([
        true,
        acr === 'aal2',
      ])
    })

  for (const [before, used, after] of [
    ['password totp', 'password passkey', 'password passkey'],
    ['verified_passkey', 'password passkey', 'verified_passkey'],
    ['verified_passkey', 'password totp', 'password totp'],
    ['verified_passkey', 'password', 'password'],
  ] as const)
    it(`by ${before}, and then by ${used}, is ${after}`, () => {
      expect(methodsAfter({ methods: before }, used)).to.equal(after)
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
