import { expect } from 'chai'
import { none, some } from 'fp-ts/lib/Option.js'
import {
  amrOf,
  assuranceClaims,
  assuranceOf,
  isFreshSession,
  type Methods,
  methodsOf,
  reaches,
  sessionAssurance,
} from '../../domain/assurance.ts'
import { withoutIo } from './no-io.ts'

/** Each combination of methods, and what it proves. */
const PROVES: Readonly<Record<Methods, readonly [acr: string, amr: ReadonlyArray<string>]>> = {
  password: ['aal1', ['pwd']],
  'password totp': ['aal2', ['pwd', 'otp', 'mfa']],
  'password recovery_code': ['aal2', ['pwd', 'recovery_code', 'mfa']],
}

const AT = {
  methods: some<Methods>('password'),
  authenticatedAtSeconds: some(90),
  createdAtSeconds: some(50),
}

describe('the assurance of an authentication', () => {
  withoutIo()

  for (const [methods, [acr, amr]] of Object.entries(PROVES) as ReadonlyArray<
    [Methods, (typeof PROVES)[Methods]]
  >)
    it(`by ${methods} is ${acr}, and ${amr.join(' ')}`, () => {
      expect([assuranceOf(methods), amrOf(methods)]).to.deep.equal([acr, amr])
      expect(sessionAssurance({ methods: some(methods) })).to.deep.equal({ acr, amr })
      expect([reaches(methods, 'aal1'), reaches(methods, 'aal2')]).to.deep.equal([true, acr === 'aal2'])
    })

  it('is that of a password in a session of a former version, which records no methods', () => {
    expect(methodsOf({ methods: none })).to.equal('password')
    expect(sessionAssurance({ methods: none })).to.deep.equal({ acr: 'aal1', amr: ['pwd'] })
  })

  it('is claimed with the time of the last authentication', () => {
    expect(assuranceClaims(AT)).to.deep.equal({ auth_time: 90, acr: 'aal1', amr: ['pwd'] })
  })

  it('is claimed with the time of the sign-in if a former version opened the session', () => {
    const former = { ...AT, methods: none, authenticatedAtSeconds: none }
    expect(assuranceClaims(former)).to.deep.equal({ auth_time: 50, acr: 'aal1', amr: ['pwd'] })
  })

  it('is claimed with all three claims or none of them: without a time there is none', () => {
    expect(assuranceClaims({ ...AT, authenticatedAtSeconds: none, createdAtSeconds: none })).to.deep.equal({})
  })
})

describe('a fresh session', () => {
  withoutIo()

  const at = (seconds: number) => ({ authenticatedAtSeconds: some(seconds), createdAtSeconds: some(1) })
  const NOW = 10_000

  for (const [name, seconds, isFresh] of [
    ['now', NOW, true],
    ['600 seconds ago', NOW - 600, true],
    ['601 seconds ago', NOW - 601, false],
    ['5 seconds ahead, by a clock that differs', NOW + 5, true],
    ['6 seconds ahead, by a clock that was wrong', NOW + 6, false],
  ] as const)
    it(`${isFresh ? 'is' : 'is not'} one whose user was authenticated ${name}`, () => {
      expect(isFreshSession(at(seconds), NOW)).to.equal(isFresh)
    })

  it('counts from the sign-in if a former version opened it, and is none without a time', () => {
    const former = { authenticatedAtSeconds: none, createdAtSeconds: some(NOW - 600) }
    expect(isFreshSession(former, NOW)).to.equal(true)
    expect(isFreshSession(former, NOW + 1)).to.equal(false)
    expect(isFreshSession({ authenticatedAtSeconds: none, createdAtSeconds: none }, NOW)).to.equal(false)
  })
})
