import { expect } from 'chai'
import { left, right } from 'fp-ts/lib/Either.js'
import { map, none, type Option, some } from 'fp-ts/lib/Option.js'
import type { Field } from '../../domain/field.ts'
import {
  mayRepeatChange,
  type PasswordChangeProblem,
  validatePasswordChange,
} from '../../domain/password-change.ts'
import { withoutIo } from './no-io.ts'

describe('a password change', () => {
  withoutIo()

  const WRONG: ReadonlyArray<
    readonly [
      name: string,
      fields: readonly [old?: Field, next?: Field, check?: Field],
      oldMatches: boolean,
      problems: PasswordChangeProblem[],
    ]
  > = [
    ['no field', [], false, ['OldPasswordMissing', 'NewPasswordMissing', 'NewPasswordCheckMissing']],
    [
      'a field of half a surrogate pair',
      ['old', '\ud800', '\ud800'],
      true,
      ['NewPasswordMissing', 'NewPasswordCheckMissing'],
    ],
    ['no old password', [undefined, 'new', 'new'], false, ['OldPasswordMissing']],
    ['a wrong old password', ['old', 'new', 'new'], false, ['OldPasswordWrong']],
    [
      'no new password, but a repetition',
      ['old', undefined, 'new'],
      true,
      ['NewPasswordMissing', 'NewPasswordCheckDiffers'],
    ],
    ['no check', ['old', 'new'], true, ['NewPasswordCheckMissing']],
    ['another check', ['old', 'new', 'nwe'], true, ['NewPasswordCheckDiffers']],
    [
      'a repetition in another Unicode normalization',
      ['old', 'caf\u00e9', 'cafe\u0301'],
      true,
      ['NewPasswordCheckDiffers'],
    ],
  ]
  for (const [name, [oldPassword, newPassword, newPasswordCheck], oldMatches, problems] of WRONG) {
    it(`with ${name} is refused with ${problems.join(', ')}`, () => {
      expect(
        validatePasswordChange({ oldPassword, newPassword, newPasswordCheck }, oldMatches, none),
      ).to.deep.equal(left(problems))
    })
  }

  const WEAK: ReadonlyArray<
    readonly [
      name: string,
      fields: readonly [old?: Field, next?: Field, check?: Field],
      oldMatches: boolean,
      problems: PasswordChangeProblem[],
    ]
  > = [
    ['no other problem', ['old', 'new', 'new'], true, ['PasswordTooShort']],
    ['a wrong old password', ['old', 'new', 'new'], false, ['OldPasswordWrong', 'PasswordTooShort']],
    ['no old password', [undefined, 'new', 'new'], false, ['OldPasswordMissing', 'PasswordTooShort']],
    ['another check', ['old', 'new', 'nwe'], true, ['PasswordTooShort', 'NewPasswordCheckDiffers']],
    ['no check', ['old', 'new'], true, ['PasswordTooShort', 'NewPasswordCheckMissing']],
    [
      'every other problem',
      ['old', 'new', 'nwe'],
      false,
      ['OldPasswordWrong', 'PasswordTooShort', 'NewPasswordCheckDiffers'],
    ],
    ['no new password', ['old', '', ''], true, ['NewPasswordMissing', 'NewPasswordCheckMissing']],
  ]
  for (const [name, [oldPassword, newPassword, newPasswordCheck], oldMatches, problems] of WEAK) {
    it(`to a weak password with ${name} is refused with ${problems.join(', ')}`, () => {
      const request = { oldPassword, newPassword, newPasswordCheck }
      const validated = validatePasswordChange(request, oldMatches, some('PasswordTooShort'))
      expect(validated).to.deep.equal(left(problems))
    })
  }

  const GOOD: ReadonlyArray<readonly [name: string, old: string, next: string]> = [
    ['another password', 'old', 'new'],
    ['the current password', 'same', 'same'],
    ['one character', 'old', 'x'],
    ['a space', 'old', ' '],
    ['a NUL', 'old', '\0'],
  ]
  for (const [name, oldPassword, newPassword] of GOOD) {
    it(`to ${name} returns nothing but the new password when the old password matches`, () => {
      const validated = validatePasswordChange(
        { oldPassword, newPassword, newPasswordCheck: newPassword },
        true,
        none,
      )
      expect(validated).to.deep.equal(right({ newPassword }))
    })
  }

  const AGAIN: ReadonlyArray<
    readonly [
      name: string,
      fields: readonly [old?: Field, next?: Field, check?: Field],
      sinceSeconds: Option<number>,
      may: boolean,
    ]
  > = [
    ['a second after it', ['old', 'new', 'new'], some(1), true],
    ['by an instance whose clock is late', ['old', 'new', 'new'], some(-5), true],
    ['59 seconds after it', ['old', 'new', 'new'], some(59), true],
    ['a minute after it', ['old', 'new', 'new'], some(60), false],
    ['by a session that made none', ['old', 'new', 'new'], none, false],
    ['with another check', ['old', 'new', 'other'], some(1), false],
    ['without an old password', ['', 'new', 'new'], some(1), false],
    ['without a new password', ['old', '', ''], some(1), false],
  ]
  for (const [name, [oldPassword, newPassword, newPasswordCheck], since, may] of AGAIN)
    it(`${may ? 'may be repeated' : 'cannot be repeated'} ${name}`, () => {
      const passwordChangedAtSeconds = map((seconds: number) => 1_000 - seconds)(since)
      const request = { oldPassword, newPassword, newPasswordCheck }
      expect(mayRepeatChange(request, { passwordChangedAtSeconds }, 1_000)).to.equal(may)
    })
})
