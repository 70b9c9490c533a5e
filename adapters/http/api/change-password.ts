import { pipe } from 'fp-ts/lib/function.js'
import * as TE from 'fp-ts/lib/TaskEither.js'
import * as t from 'io-ts'
import type { Authenticate } from '../../../application/authenticate.ts'
import type { ChangePassword } from '../../../application/change-password.ts'
import { PASSWORD_CHANGE_CODES, type PasswordChangeProblem } from '../../../domain/password-change.ts'
import type { PasswordPolicy, PasswordWeakness } from '../../../domain/password-policy.ts'
import { type Codes, done, type ErrorItem, refused } from '../answer.ts'
import { authenticated } from '../authenticated.ts'
import { BodyField, readFields } from '../body.ts'
import { answerTo } from '../failures.ts'
import type { Route } from '../route.ts'
import { weaknessCodes } from './weaknesses.ts'

/**
 * Seed §4.2. Its heading says POST and its sample GET: both are one operation. A GET that changes something is not
 * safe, so there is no HEAD.
 */
export const changePasswordRoute = (
  authenticate: Authenticate,
  changePassword: ChangePassword,
  policy: PasswordPolicy,
): Route => {
  const codes: Codes<PasswordChangeProblem> = {
    ...CODES,
    ...weaknessCodes(policy, PASSWORD_CHANGE_CODES.PasswordTooShort, 'new_password'),
  }
  return {
    path: '/api/v1/profile/change_password',
    methods: ['GET', 'POST'],
    answer: (request) =>
      pipe(
        authenticated(authenticate, 'changePassword')(request),
        TE.bindTo('caller'),
        TE.bindW('fields', () => readFields(request.message, Fields)),
        TE.chainW(({ caller, fields: { old_password, new_password, new_password_check } }) =>
          changePassword(request.call, caller, {
            oldPassword: old_password,
            newPassword: new_password,
            newPasswordCheck: new_password_check,
          }),
        ),
        TE.match(
          (failure) => (failure._tag === 'Invalid' ? refused(codes, failure.problems) : answerTo(failure)),
          () => done('The password was changed.'),
        ),
      ),
  }
}

const Fields = t.type({ old_password: BodyField, new_password: BodyField, new_password_check: BodyField })

const item = (problem: PasswordChangeProblem, param: string, wrong: string): ErrorItem => ({
  code: PASSWORD_CHANGE_CODES[problem],
  message: `${param} ${wrong}`,
  param,
})

/** Seed §7.2. */
const CODES: Codes<Exclude<PasswordChangeProblem, PasswordWeakness>> = {
  OldPasswordMissing: item('OldPasswordMissing', 'old_password', 'is missing or empty.'),
  NewPasswordMissing: item('NewPasswordMissing', 'new_password', 'is missing or empty.'),
  NewPasswordCheckMissing: item('NewPasswordCheckMissing', 'new_password_check', 'is missing or empty.'),
  OldPasswordWrong: item('OldPasswordWrong', 'old_password', 'is not the current password.'),
  NewPasswordCheckDiffers: item(
    'NewPasswordCheckDiffers',
    'new_password_check',
    'differs from new_password.',
  ),
}
