import { pipe } from 'fp-ts/lib/function.js'
import * as TE from 'fp-ts/lib/TaskEither.js'
import type { ChangePassword } from '../../../application/accounts/change-password.ts'
import type { Authenticate } from '../../../application/sessions/authenticate.ts'
import {
  PASSWORD_CHANGE_CODES as CODES,
  type PasswordChangeProblem,
} from '../../../domain/password-change.ts'
import type { PasswordPolicy } from '../../../domain/password-policy.ts'
import { EXAMPLE } from '../operation/example-values.ts'
import { jsonFields } from '../operation/fields.ts'
import { byToken } from '../operation/guards.ts'
import { type HttpOperation, operation } from '../operation/operation.ts'
import { type Codes, OPERATION_RESULT, operationResult } from '../operation/response.ts'
import type { Route } from '../operation/route.ts'
import { impossibleWeaknesses, item, NEW_PASSWORD_FIELDS, newPasswordItems } from './new-password.ts'

type Dependencies = Readonly<{
  authenticate: Authenticate
  changePassword: ChangePassword
  policy: PasswordPolicy
}>

/** Changes the password of a user (docs/contract.md §7). This GET is not safe, so there is no HEAD. */
export const changePasswordRoute = (dependencies: Dependencies): Route => ({
  path: '/api/v1/profile/change_password',
  methods: {
    GET: change(dependencies, 'getChangePassword'),
    POST: change(dependencies, 'changePassword'),
  },
})

const change = ({ authenticate, changePassword, policy }: Dependencies, id: string): HttpOperation =>
  operation(
    {
      id,
      tag: 'Profile',
      summary: 'Change the password',
      details:
        'The response lists all problems together. A change ends every other session of the user; the session that made it continues. GET is the same operation as POST, and takes the fields from a JSON body too. Few clients send a body with GET, so use POST.',
      access: byToken(authenticate, 'changePassword'),
      body: FIELDS,
      successes: [{ status: 200, description: 'The password was changed.', body: OPERATION_RESULT }],
      codes: codesOf(policy),
      impossible: impossibleWeaknesses(policy),
      failures: ['Overloaded', 'PasswordCheckUnavailable'],
      examples: [
        {
          summary: 'A password change',
          fields: {
            old_password: EXAMPLE.password,
            new_password: EXAMPLE.newPassword,
            new_password_check: EXAMPLE.newPassword,
          },
          status: 200,
          body: operationResult(CHANGED).body,
        },
        {
          summary: 'A problem in every field',
          fields: { old_password: EXAMPLE.wrongPassword, new_password_check: EXAMPLE.newPassword },
          problems: ['NewPasswordMissing', 'OldPasswordWrong', 'NewPasswordCheckDiffers'],
        },
        {
          summary: 'No fields',
          fields: {},
          problems: ['OldPasswordMissing', 'NewPasswordMissing', 'NewPasswordCheckMissing'],
        },
      ],
    },
    ({ caller, fields, context }) =>
      pipe(
        changePassword(context, caller, {
          oldPassword: fields.old_password,
          newPassword: fields.new_password,
          newPasswordCheck: fields.new_password_check,
        }),
        TE.map(() => operationResult(CHANGED)),
      ),
  )

const CHANGED = 'The password was changed.'

const FIELDS = jsonFields({
  old_password: {
    description: 'The current password.',
    example: EXAMPLE.password,
    format: 'password',
  },
  ...NEW_PASSWORD_FIELDS,
})

/** docs/contract.md §7.1 */
const codesOf = (policy: PasswordPolicy): Codes<PasswordChangeProblem> => ({
  OldPasswordMissing: item(CODES.OldPasswordMissing, 'old_password', 'is missing or empty.'),
  OldPasswordWrong: item(CODES.OldPasswordWrong, 'old_password', 'is not the current password.'),
  ...newPasswordItems(policy),
})
