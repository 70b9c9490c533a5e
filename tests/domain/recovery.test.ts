import { expect } from 'chai'
import { left, right } from 'fp-ts/lib/Either.js'
import { none, some } from 'fp-ts/lib/Option.js'
import {
  RECOVERY_CODES,
  type RecoveryProblem,
  type RecoveryRequest,
  validateRecovery,
  validateRecoveryStart,
} from '../../domain/recovery.ts'
import { withoutIo } from './no-io.ts'

describe('the start of a recovery', () => {
  withoutIo()

  for (const [what, email] of [
    ['no e-mail', undefined],
    ['an empty e-mail', ''],
    ['half a surrogate pair', '\ud800'],
  ] as const) {
    it(`with ${what} is refused`, () => {
      expect(validateRecoveryStart({ email })).to.deep.equal(left(['EmailMissing']))
    })
  }

  for (const email of ['Ada@Example.com', 'malformed']) {
    it(`with ${email} is accepted, because a malformed e-mail is only unknown`, () => {
      expect(validateRecoveryStart({ email })).to.deep.equal(right(email))
    })
  }
})

describe('the completion of a recovery', () => {
  withoutIo()

  const FULL: RecoveryRequest = { token: 't', newPassword: 'new', newPasswordCheck: 'new' }
  const EMPTY: RecoveryRequest = { token: undefined, newPassword: undefined, newPasswordCheck: undefined }
  const MISSING: RecoveryProblem[] = ['TokenMissing', 'NewPasswordMissing', 'NewPasswordCheckMissing']

  const TABLE: ReadonlyArray<
    readonly [
      what: string,
      request: RecoveryRequest,
      usable: boolean,
      weak: boolean,
      problems: RecoveryProblem[],
    ]
  > = [
    ['has no field', EMPTY, false, false, MISSING],
    ['has empty fields', { token: '', newPassword: '', newPasswordCheck: '' }, true, false, MISSING],
    ['has no token', { ...FULL, token: undefined }, false, false, ['TokenMissing']],
    ['has an unusable token', FULL, false, false, ['TokenInvalid']],
    ['has an unusable token and a weak password', FULL, false, true, ['TokenInvalid']],
    ['has a weak password', FULL, true, true, ['PasswordCommon']],
    [
      'has another repetition',
      { ...FULL, newPasswordCheck: 'New' },
      true,
      false,
      ['NewPasswordCheckDiffers'],
    ],
    [
      'has a weak password and another repetition',
      { ...FULL, newPasswordCheck: 'x' },
      true,
      true,
      ['PasswordCommon', 'NewPasswordCheckDiffers'],
    ],
    [
      'has an unusable token and another repetition',
      { ...FULL, newPasswordCheck: 'x' },
      false,
      false,
      ['TokenInvalid', 'NewPasswordCheckDiffers'],
    ],
    [
      'has a repetition only',
      { ...EMPTY, newPasswordCheck: 'x' },
      false,
      false,
      ['TokenMissing', 'NewPasswordMissing', 'NewPasswordCheckDiffers'],
    ],
    [
      'has half a surrogate pair in both passwords',
      { token: 't', newPassword: '\ud800', newPasswordCheck: '\ud800' },
      true,
      false,
      ['NewPasswordMissing', 'NewPasswordCheckMissing'],
    ],
  ]
  for (const [what, request, usable, weak, problems] of TABLE) {
    it(`that ${what} is refused with ${problems.join(' and ')}`, () => {
      const validated = validateRecovery(request, usable, weak ? some('PasswordCommon') : none)
      expect(validated).to.deep.equal(left(problems))
    })
  }

  it('with a usable token keeps the new password exactly as sent', () => {
    const request = { token: 't', newPassword: ' n\0 ', newPasswordCheck: ' n\0 ' }
    expect(validateRecovery(request, true, none)).to.deep.equal(right({ newPassword: ' n\0 ' }))
  })

  it('numbers each problem as the interface says', () => {
    expect(RECOVERY_CODES).to.deep.equal({
      TokenMissing: 1,
      NewPasswordMissing: 2,
      NewPasswordCheckMissing: 3,
      TokenInvalid: 4,
      NewPasswordCheckDiffers: 5,
      PasswordRule: 6,
      PasswordTooShort: 7,
      PasswordLeaked: 8,
      PasswordFromNames: 9,
      PasswordCommon: 10,
      PasswordGuessable: 11,
    })
  })
})
