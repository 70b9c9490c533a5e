import { pipe } from 'fp-ts/lib/function.js'
import * as TE from 'fp-ts/lib/TaskEither.js'
import type { Authenticate } from '../../../../application/authenticate.ts'
import type { ChangePassword } from '../../../../application/change-password.ts'
import { PASSWORD_CHANGE_CODES, type PasswordChangeProblem } from '../../../../domain/password-change.ts'
import type { PasswordPolicy, PasswordWeakness } from '../../../../domain/password-policy.ts'
import { type Codes, DONE, done, type ErrorItem } from '../operation/answer.ts'
import { authenticated } from '../operation/authenticated.ts'
import { jsonFields } from '../operation/fields.ts'
import { type HttpOperation, OF_BODIES, OF_TOKENS, operation } from '../operation/operation.ts'
import type { Route } from '../operation/route.ts'
import { SAMPLE } from '../operation/samples.ts'
import { readFields } from '../request/body.ts'
import { impossibleWeaknesses, weaknessCodes } from './weaknesses.ts'

/**
 * Seed §4.2. Its heading says POST and its sample GET: both are one operation. A GET that changes something is not
 * safe, so there is no HEAD.
 */
export const changePasswordRoute = (
  authenticate: Authenticate,
  changePassword: ChangePassword,
  policy: PasswordPolicy,
): Route => ({
  path: '/api/v1/profile/change_password',
  methods: {
    GET: change(authenticate, changePassword, policy, 'getChangePassword'),
    POST: change(authenticate, changePassword, policy, 'changePassword'),
  },
})

const change = (
  authenticate: Authenticate,
  changePassword: ChangePassword,
  policy: PasswordPolicy,
  id: string,
): HttpOperation =>
  operation(
    {
      id,
      group: 'Profile',
      summary: 'Change the password',
      details:
        'Everything that is wrong is reported together. Every other session of the user ends with the change; the token that made it lives on. GET and POST are one operation, and the fields come from a JSON body with both; few programs send one with GET, so that POST is the better choice.',
      access: 'changePassword',
      body: FIELDS,
      successes: [{ status: 200, description: 'The password is the new one from now on.', body: DONE }],
      codes: codesOf(policy),
      impossible: impossibleWeaknesses(policy),
      fails: [...OF_TOKENS, ...OF_BODIES, 'Overloaded', 'PasswordCheckUnavailable'],
      examples: [
        {
          summary: 'A change',
          fields: {
            old_password: SAMPLE.password,
            new_password: SAMPLE.newPassword,
            new_password_check: SAMPLE.newPassword,
          },
          status: 200,
          answer: done(CHANGED).body,
        },
        {
          summary: 'Wrong in every field',
          fields: { old_password: SAMPLE.wrongPassword, new_password_check: SAMPLE.newPassword },
          wrong: ['NewPasswordMissing', 'OldPasswordWrong', 'NewPasswordCheckDiffers'],
        },
        {
          summary: 'Nothing at all',
          fields: {},
          wrong: ['OldPasswordMissing', 'NewPasswordMissing', 'NewPasswordCheckMissing'],
        },
      ],
    },
    (request) =>
      pipe(
        authenticated(authenticate, 'changePassword')(request),
        TE.bindTo('caller'),
        TE.bindW('fields', () => readFields(request.message, FIELDS.codec)),
        TE.chainW(({ caller, fields: { old_password, new_password, new_password_check } }) =>
          changePassword(request.call, caller, {
            oldPassword: old_password,
            newPassword: new_password,
            newPasswordCheck: new_password_check,
          }),
        ),
        TE.map(() => done(CHANGED)),
      ),
  )

const CHANGED = 'The password was changed.'

const FIELDS = jsonFields({
  old_password: {
    description: 'The current password, exactly.',
    example: SAMPLE.password,
    format: 'password',
  },
  new_password: {
    description: 'What it is to be, exactly.',
    example: SAMPLE.newPassword,
    format: 'password',
  },
  new_password_check: {
    description: 'The new password once more.',
    example: SAMPLE.newPassword,
    format: 'password',
  },
})

const codesOf = (policy: PasswordPolicy): Codes<PasswordChangeProblem> => ({
  ...CODES,
  ...weaknessCodes(policy, PASSWORD_CHANGE_CODES.PasswordTooShort, 'new_password'),
})

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
