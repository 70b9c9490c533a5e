import { expect } from 'chai'
import { left, right } from 'fp-ts/lib/Either.js'
import { none, some } from 'fp-ts/lib/Option.js'
import type { Session } from '../../domain/session.ts'
import { type StepUpProof, type StepUpRequest, steppedUp, validateStepUp } from '../../domain/step-up.ts'
import { withoutIo } from './no-io.ts'

describe('a step-up', () => {
  withoutIo()

  const password = 'correct horse'
  const totp = '123456'
  const CASES: ReadonlyArray<
    readonly [what: string, request: StepUpRequest, repeated: StepUpProof | undefined]
  > = [
    ['the password', { password }, { method: 'password', sent: password }],
    ['a code of an app', { password: '', totp }, { method: 'totp', sent: totp }],
    [
      'a recovery code',
      { password: undefined, recoveryCode: 'abcd' },
      { method: 'recovery_code', sent: 'abcd' },
    ],
    ['a credential', { password: undefined, credential: '{}' }, { method: 'credential', sent: '{}' }],
    ['nothing', { password: undefined }, undefined],
    ['empty fields', { password: '', totp: '', recoveryCode: '', credential: '' }, undefined],
    ['malformed Unicode', { password: '\ud800' }, undefined],
    ['the password and a code', { password, totp }, undefined],
    ['two proofs', { password: undefined, totp, recoveryCode: 'abcd' }, undefined],
    ['everything', { password, totp, recoveryCode: 'abcd', credential: '{}' }, undefined],
  ]
  for (const [what, request, repeated] of CASES)
    it(`with ${what} ${repeated === undefined ? 'is refused' : 'is judged'}`, () => {
      expect(validateStepUp(request)).to.deep.equal(
        repeated === undefined ? left(['ProofMissing']) : right(repeated),
      )
    })

  const SESSION: Session = {
    id: 'session',
    userId: 'ada',
    passwordVersion: 3,
    sessionsVersion: 1,
    createdAtSeconds: 100,
    expiresAtSeconds: 1_000,
    endsAtSeconds: 5_000,
    renewedAtSeconds: some(200),
    passwordChangedAtSeconds: none,
    cookie: none,
    browserId: none,
    label: some('Firefox'),
    applicationId: 'shop',
    remembered: false,
    methods: 'password',
    authenticatedAtSeconds: 100,
    signedOut: false,
    version: 2,
  }

  it('moves only the time of the authentication, and says how the user was authenticated', () => {
    for (const methods of ['password', 'password totp', 'password recovery_code'] as const)
      expect(steppedUp(SESSION, { methods, authenticatedAtSeconds: 300 })).to.deep.equal({
        ...SESSION,
        methods,
        authenticatedAtSeconds: 300,
      })
  })
})
