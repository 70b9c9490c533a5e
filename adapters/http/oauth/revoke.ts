import { pipe } from 'fp-ts/lib/function.js'
import * as TE from 'fp-ts/lib/TaskEither.js'
import type { RevokeToken } from '../../../application/sessions/revoke-token.ts'
import { operation } from '../operation/operation.ts'
import type { Route } from '../operation/route.ts'
import { type AuthenticateClient, byKeys, required, TOKEN_FORM } from './client.ts'
import { BASIC, oauthErrors } from './errors.ts'

/** Revokes a token of the application, or of a user whom it signed in (RFC 7009). Other tokens get the same response. */
export const revokeRoute = ({
  authenticateApplication,
  revokeToken,
}: Readonly<{ authenticateApplication: AuthenticateClient; revokeToken: RevokeToken }>): Route => ({
  path: '/oauth2/revoke',
  methods: {
    POST: operation(
      {
        id: 'revokeToken',
        tag: 'OAuth 2.0',
        summary: 'Revoke a token',
        details:
          'Token revocation (RFC 7009). An application can revoke its own tokens and those of users whom it signed in. The token of a user may have expired: it ends its session as long as that lives. For other tokens the response is the same, and they stay valid.',
        access: byKeys(authenticateApplication),
        body: TOKEN_FORM,
        successes: [
          {
            status: 200,
            description: 'The token is revoked if this application may revoke it.',
          },
        ],
        toErrorResponse: oauthErrors(BASIC),
        failures: ['InvalidClient', 'Throttled', 'Overloaded', 'StoreUnavailable'],
        examples: [{ summary: 'A token that is not active', fields: { token: 'nonsense' }, status: 200 }],
      },
      ({ caller, fields, context }) =>
        pipe(
          TE.fromEither(required('token', fields.token)),
          TE.chainW((token) => revokeToken(context, caller.application.id, token)),
          TE.map(() => ({ status: 200 })),
        ),
    ),
  },
})
