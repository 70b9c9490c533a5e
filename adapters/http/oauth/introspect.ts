import { pipe } from 'fp-ts/lib/function.js'
import * as TE from 'fp-ts/lib/TaskEither.js'
import type { AuthenticateByKeys } from '../../../application/applications/authenticate-by-keys.ts'
import type { Authenticate } from '../../../application/sessions/authenticate.ts'
import type { Introspect } from '../../../application/sessions/introspect.ts'
import { SCOPES } from '../../../domain/application.ts'
import { operation } from '../operation/operation.ts'
import { ok } from '../operation/response.ts'
import type { Route } from '../operation/route.ts'
import { ASSURANCE, array, constant, integer, object, text, uuid } from '../operation/schema.ts'
import { byTokenOrKeys, required, TOKEN_FORM } from './client.ts'
import { BEARER_OR_BASIC, oauthErrors } from './errors.ts'

/**
 * Tells an application about a token (RFC 7662). The application authenticates with its own token in the header, or with API keys
 * as at the token endpoint. The form contains the token in question, which never authenticates.
 */
export const introspectRoute = ({
  authenticate,
  authenticateByKeys,
  introspect,
}: Readonly<{
  authenticate: Authenticate
  authenticateByKeys: AuthenticateByKeys
  introspect: Introspect
}>): Route => ({
  path: '/oauth2/introspect',
  methods: {
    POST: operation(
      {
        id: 'introspect',
        tag: 'OAuth 2.0',
        summary: 'Check a token',
        details:
          'Token introspection (RFC 7662). For every token that is not active, the response is only `{"active": false}`. Introspection changes nothing and writes no event. Without a token in the header, the server checks the form first, because it may contain the API keys.',
        access: byTokenOrKeys({ authenticate, authenticateByKeys }, 'introspect'),
        body: TOKEN_FORM,
        successes: [
          {
            status: 200,
            description: 'The claims of an active token, or `{"active": false}`.',
            body: { oneOf: [APPLICATION, USER, object({ active: constant(false) })] },
          },
        ],
        toErrorResponse: oauthErrors(BEARER_OR_BASIC),
        failures: ['InvalidClient'],
        examples: [
          {
            summary: 'A token that is not active',
            fields: { token: 'nonsense' },
            status: 200,
            body: { active: false },
          },
        ],
      },
      ({ fields }) => pipe(TE.fromEither(required('token', fields.token)), TE.chainW(introspect), TE.map(ok)),
    ),
  },
})

const TIMES = {
  iat: integer('When the token was issued, in seconds since 1970.'),
  exp: integer('When the token expires, in seconds since 1970.'),
  jti: uuid('The id of the token.'),
}

const ACTIVE = { active: constant(true), token_type: constant('Bearer'), iss: text('The issuer.') }

const APPLICATION = object(
  {
    ...ACTIVE,
    kind: constant('application'),
    sub: uuid('The id of the application.'),
    client_id: uuid('The id of the application.'),
    aud: text('The audience.'),
    ...TIMES,
    scope: text('The scopes that the token holds and the application still has, separated by spaces.', {
      pattern: `^(?:(?:${SCOPES.join('|')})(?: (?:${SCOPES.join('|')}))*)?$`,
    }),
  },
  'An active application token.',
)

const USER = object(
  {
    ...ACTIVE,
    kind: constant('user'),
    sub: uuid('The id of the user.'),
    sid: uuid('The id of the session.'),
    ...TIMES,
    username: text('The e-mail as registered.'),
  },
  'An active user token.',
  {
    client_id: uuid('The application that signed the user in. Absent if none is recorded.'),
    aud: text('The audience. Only a JWT has it.'),
    auth_time: integer('When the user was authenticated, in seconds since 1970, as the token says.'),
    ...ASSURANCE,
    roles: array(
      text('A role.'),
      'The roles that the user has now, sorted. The token may contain others. Absent without any.',
    ),
  },
)
