import { pipe } from 'fp-ts/lib/function.js'
import * as TE from 'fp-ts/lib/TaskEither.js'
import type { RemoveOwnAccount } from '../../../application/accounts/remove-own-account.ts'
import type { Authenticate } from '../../../application/sessions/authenticate.ts'
import type { AccountRemovalProblem } from '../../../domain/account-removal.ts'
import { EXAMPLE } from '../operation/example-values.ts'
import { jsonFields } from '../operation/fields.ts'
import { byToken } from '../operation/guards.ts'
import { operation } from '../operation/operation.ts'
import { type Codes, OPERATION_RESULT, operationResult } from '../operation/response.ts'
import type { Route } from '../operation/route.ts'

/** Removes the user who asks for it (docs/administration.md §1). */
export const removeOwnAccountRoute = ({
  authenticate,
  removeOwnAccount,
}: Readonly<{ authenticate: Authenticate; removeOwnAccount: RemoveOwnAccount }>): Route => ({
  path: '/api/v1/profile/remove',
  methods: {
    POST: operation(
      {
        id: 'removeOwnAccount',
        tag: 'Profile',
        summary: 'Remove the account of the user',
        details:
          'Only the id remains. All sessions end, and the e-mail can be registered again. A removal is permanent. A user without a password sends none: the user must have proved a second factor or a passkey in the last 600 seconds.',
        access: byToken(authenticate, 'removeOwnAccount'),
        body: FIELDS,
        successes: [{ status: 200, description: 'The account was removed.', body: OPERATION_RESULT }],
        codes: CODES,
        failures: ['Overloaded', 'InsufficientAuthentication'],
        examples: [
          {
            summary: 'The right password',
            fields: { password: EXAMPLE.password },
            status: 200,
            body: operationResult(REMOVED).body,
          },
          {
            summary: 'A wrong password',
            fields: { password: EXAMPLE.wrongPassword },
            problems: ['PasswordWrong'],
          },
          { summary: 'No fields', fields: {}, problems: ['PasswordMissing'] },
        ],
      },
      ({ caller, fields, context }) =>
        pipe(
          removeOwnAccount(context, caller, fields),
          TE.map(() => operationResult(REMOVED)),
        ),
    ),
  },
})

const REMOVED = 'The account was removed.'

const FIELDS = jsonFields(
  {
    password: {
      description: 'The current password. Required, unless the user has none.',
      example: EXAMPLE.password,
      format: 'password',
    },
  },
  [],
)

const CODES: Codes<AccountRemovalProblem> = {
  PasswordMissing: { code: 1, param: 'password', message: 'password is missing or empty.' },
  PasswordWrong: { code: 2, param: 'password', message: 'password is not the current password.' },
}
