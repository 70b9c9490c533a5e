import { expect } from 'chai'
import { left, right } from 'fp-ts/lib/Either.js'
import { none, some } from 'fp-ts/lib/Option.js'
import type { Field } from '../../domain/field.ts'
import { PASSWORD_CHANGE_CODES, passwordChangeCode } from '../../domain/password-change.ts'
import {
  type PasswordChangeByEmailProblem,
  passwordChangeByEmailCode,
  validatePasswordChangeByEmail,
} from '../../domain/password-change-by-email.ts'
import { withoutIo } from './no-io.ts'

const ACCOUNT = some('account')

describe('a password change by e-mail', () => {
  withoutIo()

  const request = ([email, oldPassword, newPassword, newPasswordCheck]: Fields) => ({
    email,
    oldPassword,
    newPassword,
    newPasswordCheck,
  })
  type Fields = readonly [email?: Field, old?: Field, next?: Field, check?: Field]

  const WRONG: ReadonlyArray<
    readonly [
      name: string,
      fields: Fields,
      account: typeof ACCOUNT | typeof none,
      problems: PasswordChangeByEmailProblem[],
    ]
  > = [
    [
      'no field',
      [],
      none,
      ['OldPasswordMissing', 'NewPasswordMissing', 'NewPasswordCheckMissing', 'EmailMissing'],
    ],
    [
      'empty fields',
      ['', '', '', ''],
      none,
      ['OldPasswordMissing', 'NewPasswordMissing', 'NewPasswordCheckMissing', 'EmailMissing'],
    ],
    ['no e-mail', [undefined, 'old', 'new', 'new'], none, ['EmailMissing']],
    ['half a surrogate pair as e-mail', ['\ud800', 'old', 'new', 'new'], none, ['EmailMissing']],
    ['no old password', ['a@b', undefined, 'new', 'new'], none, ['OldPasswordMissing']],
    ['an e-mail and an old password of no account', ['a@b', 'old', 'new', 'new'], none, ['OldPasswordWrong']],
    [
      'only an e-mail and an old password of no account',
      ['a@b', 'old'],
      none,
      ['OldPasswordWrong', 'NewPasswordMissing', 'NewPasswordCheckMissing'],
    ],
    ['another repetition', ['a@b', 'old', 'new', 'New'], ACCOUNT, ['NewPasswordCheckDiffers']],
    ['only an account', ['a@b', 'old'], ACCOUNT, ['NewPasswordMissing', 'NewPasswordCheckMissing']],
  ]
  for (const [name, fields, account, problems] of WRONG) {
    it(`with ${name} is refused with ${problems.join(' and ')}`, () => {
      const validated = validatePasswordChangeByEmail(request(fields), account, none)
      expect(validated).to.have.property('_tag', 'Left')
      expect('left' in validated && [...validated.left].sort()).to.deep.equal([...problems].sort())
    })
  }

  it('to a weak password is refused with the weakness', () => {
    const weak = request(['a@b', 'old', 'new', 'new'])
    expect(validatePasswordChangeByEmail(weak, ACCOUNT, some('PasswordTooShort'))).to.deep.equal(
      left(['PasswordTooShort']),
    )
  })

  it('of an account, with equal new passwords, yields the account and the new password', () => {
    expect(validatePasswordChangeByEmail(request(['a@b', 'old', 'new', 'new']), ACCOUNT, none)).to.deep.equal(
      right({ account: 'account', newPassword: 'new' }),
    )
  })

  it('has the codes of a signed-in user’s change, and 12 for a missing e-mail', () => {
    expect(passwordChangeByEmailCode('EmailMissing')).to.equal(12)
    const { PasswordRule: _, ...others } = PASSWORD_CHANGE_CODES
    for (const problem of [...(Object.keys(others) as Array<keyof typeof others>), 'PasswordRule1'] as const)
      expect(passwordChangeByEmailCode(problem), problem).to.equal(passwordChangeCode(problem))
  })
})
