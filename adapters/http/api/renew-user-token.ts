import { pipe } from 'fp-ts/lib/function.js'
import * as TE from 'fp-ts/lib/TaskEither.js'
import type { Authenticate } from '../../../application/sessions/authenticate.ts'
import type { RenewSession } from '../../../application/sessions/renew-session.ts'
import type { RenewalProblem } from '../../../domain/renewal.ts'
import { EXAMPLE } from '../operation/example-values.ts'
import { jsonFields } from '../operation/fields.ts'
import { byToken } from '../operation/guards.ts'
import { operation } from '../operation/operation.ts'
import { type Codes, ok } from '../operation/response.ts'
import type { Route } from '../operation/route.ts'
import { SIGNED_IN, signedInExample, signedInJson } from './signed-in.ts'

/** Renews the session of a user token for the application that opened it (docs/sessions.md). */
export const renewUserTokenRoute = ({
  authenticate,
  renewSession,
}: Readonly<{ authenticate: Authenticate; renewSession: RenewSession }>): Route => ({
  path: '/api/v1/auth/user/token/renew',
  methods: {
    POST: operation(
      {
        id: 'renewSession',
        tag: 'Users',
        summary: 'Renew the session of a user',
        details:
          'Returns a new token of the same session, and never prolongs the session beyond its end. The former token keeps its own expiry, and may have expired: it renews the session as long as that lives. A session below the assurance that the application requires is not renewed.',
        access: byToken(authenticate, 'renewSession'),
        body: FIELDS,
        successes: [{ status: 200, description: 'The new token is in the response.', body: SIGNED_IN }],
        codes: CODES,
        failures: ['Overloaded', 'KeyUnusable'],
        examples: [
          {
            summary: 'A live session of the application',
            fields: { token: EXAMPLE.userToken },
            status: 200,
            body: signedInExample(EXAMPLE.assurance),
          },
          {
            summary: 'A token whose session has ended, or of another application',
            fields: { token: EXAMPLE.endedUserToken },
            problems: ['TokenUnusable'],
          },
          { summary: 'No fields', fields: {}, problems: ['TokenMissing'] },
        ],
      },
      ({ caller, fields, context }) =>
        pipe(
          renewSession(context, caller, fields),
          TE.map((renewed) => ok(signedInJson(renewed))),
        ),
    ),
  },
})

const FIELDS = jsonFields({
  token: { description: 'A user token of the session. It may have expired.', example: EXAMPLE.userToken },
})

const CODES: Codes<RenewalProblem> = {
  TokenMissing: { code: 1, param: 'token', message: 'token is missing or empty.' },
  TokenUnusable: {
    code: 2,
    param: 'token',
    message: 'token has ended, or another application opened its session.',
  },
  AssuranceTooLow: {
    code: 2,
    param: 'token',
    message: 'The session of token has no second factor, which the application requires. Sign in again.',
  },
}
