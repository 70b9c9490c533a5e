import * as E from 'fp-ts/lib/Either.js'
import { pipe } from 'fp-ts/lib/function.js'
import * as TE from 'fp-ts/lib/TaskEither.js'
import type { AuthenticateByKeys } from '../../../application/applications/authenticate-by-keys.ts'
import type { Authenticate } from '../../../application/sessions/authenticate.ts'
import type { Introspect } from '../../../application/sessions/introspect.ts'
import { SCOPES } from '../../../domain/application.ts'
import { isPresent } from '../../../domain/field.ts'
import { authenticated } from '../operation/authenticated.ts'
import { BODY_FAILURES, type FailureOf, operation, TOKEN_FAILURES } from '../operation/operation.ts'
import { ok } from '../operation/response.ts'
import type { Route } from '../operation/route.ts'
import { constant, integer, object, text, uuid } from '../operation/schema.ts'
import { readForm } from '../request/form.ts'
import type { Request } from '../request/request.ts'
import { bearerToken } from '../request/request.ts'
import { readClientForm, required, TWO_CREDENTIALS } from './client.ts'
import { BEARER_OR_BASIC, oauthErrors, toInvalidClient } from './errors.ts'
import { TOKEN_FORM } from './token-form.ts'

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
        access: 'introspect',
        acceptsClientCredentials: true,
        body: TOKEN_FORM,
        successes: [
          {
            status: 200,
            description: 'The claims of an active token, or `{"active": false}`.',
            body: { oneOf: [APPLICATION, USER, object({ active: constant(false) })] },
          },
        ],
        toErrorResponse: oauthErrors(BEARER_OR_BASIC),
        failures: FAILS,
        examples: [
          {
            summary: 'A token that is not active',
            fields: { token: 'nonsense' },
            status: 200,
            body: { active: false },
          },
        ],
      },
      (request) =>
        pipe(
          E.isRight(bearerToken(request.message))
            ? readWithToken(authenticate, request)
            : readWithKeys(authenticateByKeys, request),
          TE.chainW(introspect),
          TE.map(ok),
        ),
    ),
  },
})

const FAILS = [...TOKEN_FAILURES, ...BODY_FAILURES, 'InvalidClient'] as const

/** The token in question, after the application has authenticated. */
type TokenInQuestion = TE.TaskEither<FailureOf<(typeof FAILS)[number]>, string>

const readWithToken = (authenticate: Authenticate, request: Request): TokenInQuestion =>
  pipe(
    authenticated(authenticate, 'introspect')(request),
    TE.chainW(() => readForm(request.message, TOKEN_FORM.names)),
    TE.chainEitherKW(({ token, client_secret: secret }) =>
      isPresent(secret) ? E.left(TWO_CREDENTIALS) : required('token', token),
    ),
  )

const readWithKeys = (
  authenticateByKeys: AuthenticateByKeys,
  { message, context }: Request,
): TokenInQuestion =>
  pipe(
    readClientForm(message, TOKEN_FORM.names),
    TE.chainFirstW(({ keys }) => authenticateByKeys(context, 'introspect', keys)),
    TE.chainEitherKW(({ form }) => required('token', form.token)),
    TE.mapLeft(toInvalidClient),
  )

const TIMES = {
  iat: integer('When the token was issued, in seconds since 1970.'),
  exp: integer('When the token expires, in seconds since 1970.'),
  jti: uuid('The id of the token.'),
}

const ACTIVE = { active: constant(true), token_type: constant('Bearer'), iss: text('The issuer.') }

const APPLICATION = object(
  {
    ...ACTIVE,
    sub: uuid('The id of the application.'),
    client_id: uuid('The id of the application.'),
    aud: text('The audience.'),
    ...TIMES,
    scope: text('The scopes, separated by spaces.', {
      pattern: `^(?:${SCOPES.join('|')})(?: (?:${SCOPES.join('|')}))*$`,
    }),
  },
  'An active application token.',
)

const USER = object(
  {
    ...ACTIVE,
    sub: uuid('The id of the user.'),
    sid: uuid('The id of the session.'),
    ...TIMES,
    username: text('The e-mail as registered.'),
  },
  'An active user token.',
  { client_id: uuid('The application that signed the user in. Absent if none is recorded.') },
)
