import { pipe } from 'fp-ts/lib/function.js'
import * as TE from 'fp-ts/lib/TaskEither.js'
import type { ResetFactors } from '../../../application/accounts/reset-factors.ts'
import type { Authenticate } from '../../../application/sessions/authenticate.ts'
import { byToken } from '../operation/guards.ts'
import { operation } from '../operation/operation.ts'
import { operationResult } from '../operation/response.ts'
import type { Route } from '../operation/route.ts'
import { onOneUser } from './manage-users.ts'

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
        summary: 'Remove all second factors of a user',
        details: 'All sessions of the user end. Each application may reset the factors of 60 users an hour.',
        access: byToken(authenticate, 'resetFactors'),
        ...onOneUser(RESET),
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
