import { pipe } from 'fp-ts/lib/function.js'
import * as TE from 'fp-ts/lib/TaskEither.js'
import type { AuthenticateApplication } from '../../../../application/authenticate-application.ts'
import type { RevokeToken } from '../../../../application/revoke-token.ts'
import { OF_BODIES, operation } from '../operation/operation.ts'
import type { Route } from '../operation/route.ts'
import { needed, readClientForm } from './client.ts'
import { BASIC, orNoLivePair, refusing } from './errors.ts'
import { TOKEN_FORM } from './token-form.ts'

/**
 * RFC 7009: an application ends a token that is its own, or of a user it has signed in. Of any other token it learns nothing:
 * the answer is the same, whatever it is.
 */
export const revokeRoute = (
  authenticateApplication: AuthenticateApplication,
  revokeToken: RevokeToken,
): Route => ({
  path: '/oauth2/revoke',
  methods: {
    POST: operation(
      {
        id: 'revokeToken',
        group: 'OAuth 2.0',
        summary: 'End a token',
        details:
          'Token revocation (RFC 7009): an application ends a token of its own, or of a user whom it has signed in. Of any other token the answer tells nothing.',
        byKeys: true,
        body: TOKEN_FORM,
        successes: [
          {
            status: 200,
            description: 'The token is good for nothing, if it was one that this application may end.',
          },
        ],
        refuse: refusing(BASIC),
        fails: [...OF_BODIES, 'InvalidClient', 'Throttled', 'Overloaded', 'StoreUnavailable'],
        examples: [{ summary: 'A token that is over', fields: { token: 'nonsense' }, status: 200 }],
      },
      ({ message, call }) =>
        pipe(
          readClientForm(message, TOKEN_FORM.names),
          TE.bindW('client', ({ keys }) => authenticateApplication(call, keys)),
          TE.bindW('token', ({ form }) => TE.fromEither(needed('token', form.token))),
          TE.chainW(({ client, token }) => revokeToken(call, client.application.id, token)),
          TE.bimap(orNoLivePair, () => ({ status: 200 })),
        ),
    ),
  },
})
