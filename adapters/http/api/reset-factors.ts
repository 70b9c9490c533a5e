import { pipe } from 'fp-ts/lib/function.js'
import * as TE from 'fp-ts/lib/TaskEither.js'
import type { ResetFactors } from '../../../application/factors/reset-factors.ts'
import type { Authenticate } from '../../../application/sessions/authenticate.ts'
import { EXAMPLE } from '../operation/example-values.ts'
import { byToken } from '../operation/guards.ts'
import { operation } from '../operation/operation.ts'
import { OPERATION_RESULT, operationResult } from '../operation/response.ts'
import type { Route } from '../operation/route.ts'
import { USER_ID_CODES, USER_ID_FIELDS } from './manage-users.ts'

/** Removes the second factors of a user who has lost them (docs/second-factor.md). */
export const resetFactorsRoute = ({
  authenticate,
  resetFactors,
}: Readonly<{ authenticate: Authenticate; resetFactors: ResetFactors }>): Route => ({
  path: '/api/v1/users/reset_factors',
  methods: {
    POST: operation(
      {
        id: 'resetFactors',
        tag: 'Users',
        summary: 'Remove all second factors of a user',
        details: 'All sessions of the user end. Each application may reset the factors of 60 users an hour.',
        access: byToken(authenticate, 'resetFactors'),
        body: USER_ID_FIELDS,
        successes: [{ status: 200, description: RESET, body: OPERATION_RESULT }],
        codes: USER_ID_CODES,
        failures: ['Overloaded'],
        examples: [
          {
            summary: 'A user',
            fields: { user_id: EXAMPLE.userId },
            status: 200,
            body: operationResult(RESET).body,
          },
          {
            summary: 'An unknown or removed user',
            fields: { user_id: EXAMPLE.noUserId },
            problems: ['UserUnknown'],
          },
          { summary: 'No fields', fields: {}, problems: ['UserIdMissing'] },
        ],
      },
      ({ caller, fields, context }) =>
        pipe(
          resetFactors(context, caller, { userId: fields.user_id }),
          TE.map(() => operationResult(RESET)),
        ),
    ),
  },
})

const RESET = 'The user has no second factor.'
