import * as E from 'fp-ts/lib/Either.js'
import { pipe } from 'fp-ts/lib/function.js'
import * as TE from 'fp-ts/lib/TaskEither.js'
import type { Authenticate } from '../../../../application/authenticate.ts'
import type { AuthenticateByKeys } from '../../../../application/authenticate-by-keys.ts'
import type { Introspect } from '../../../../application/introspect.ts'
import { SCOPES } from '../../../../domain/application.ts'
import { isPresent } from '../../../../domain/field.ts'
import { ok } from '../operation/answer.ts'
import { authenticated } from '../operation/authenticated.ts'
import { type FailureOf, OF_BODIES, OF_TOKENS, operation } from '../operation/operation.ts'
import type { Request, Route } from '../operation/route.ts'
import { constant, object, text, uuid, whole } from '../operation/schema.ts'
import { bearerToken } from '../request/bearer.ts'
import { needed, readClientForm, TWO_WAYS } from './client.ts'
import { BEARER_OR_BASIC, orNoLivePair, refusing } from './errors.ts'
import { readForm } from './form.ts'
import { TOKEN_FORM } from './token-form.ts'

/**
 * RFC 7662: another service asks about a token. It says who it is by a token of its own in the header, or by its API keys as at
 * the token endpoint. The token asked about comes in the form, and is never taken for the one that may ask.
 */
export const introspectRoute = (
  authenticate: Authenticate,
  authenticateByKeys: AuthenticateByKeys,
  introspect: Introspect,
): Route => ({
  path: '/oauth2/introspect',
  methods: {
    POST: operation(
      {
        id: 'introspect',
        group: 'OAuth 2.0',
        summary: 'What a token is worth now',
        details:
          'Token introspection (RFC 7662). Of a token that is not good, whyever, it is said only that it is not. It changes nothing and leaves no trace. Without a token in the header, the form is judged before anything else, for the keys of who asks may stand in it.',
        access: 'introspect',
        byKeys: true,
        body: TOKEN_FORM,
        successes: [
          {
            status: 200,
            description: 'What the token says, and whose it is.',
            body: { oneOf: [APPLICATION, USER, object({ active: constant(false) })] },
          },
        ],
        refuse: refusing(BEARER_OR_BASIC),
        fails: FAILS,
        examples: [
          {
            summary: 'A token that is not good',
            fields: { token: 'nonsense' },
            status: 200,
            answer: { active: false },
          },
        ],
      },
      (request) =>
        pipe(
          E.isRight(bearerToken(request.message))
            ? askedByToken(authenticate, request)
            : askedByKeys(authenticateByKeys, request),
          TE.chainW(introspect),
          TE.map(ok),
        ),
    ),
  },
})

const FAILS = [...OF_TOKENS, ...OF_BODIES, 'InvalidClient'] as const

/** The token that an application asks about, once it is clear that it may. */
type Asked = TE.TaskEither<FailureOf<(typeof FAILS)[number]>, string>

const askedByToken = (authenticate: Authenticate, request: Request): Asked =>
  pipe(
    authenticated(authenticate, 'introspect')(request),
    TE.chainW(() => readForm(request.message, TOKEN_FORM.names)),
    TE.chainEitherKW(({ token, client_secret: secret }) =>
      isPresent(secret) ? E.left(TWO_WAYS) : needed('token', token),
    ),
  )

const askedByKeys = (authenticateByKeys: AuthenticateByKeys, { message, call }: Request): Asked =>
  pipe(
    readClientForm(message, TOKEN_FORM.names),
    TE.chainFirstW(({ keys }) => authenticateByKeys(call, 'introspect', keys)),
    TE.chainEitherKW(({ form }) => needed('token', form.token)),
    TE.mapLeft(orNoLivePair),
  )

const TIMES = {
  iat: whole('When it was issued, in seconds since 1970.'),
  exp: whole('When it expires, in seconds since 1970.'),
  jti: uuid('Of the token.'),
}

const ACTIVE = { active: constant(true), token_type: constant('Bearer'), iss: text('Who issued it.') }

const APPLICATION = object(
  {
    ...ACTIVE,
    sub: uuid('Of the application.'),
    client_id: uuid('Of the application.'),
    aud: text('Whom it is for.'),
    ...TIMES,
    scope: text('What it may be used for, separated by spaces.', {
      pattern: `^(?:${SCOPES.join('|')})(?: (?:${SCOPES.join('|')}))*$`,
    }),
  },
  'An application token that is good now.',
)

const USER = object(
  {
    ...ACTIVE,
    sub: uuid('Of the user.'),
    sid: uuid('Of the session.'),
    ...TIMES,
    username: text('The e-mail, as it was registered.'),
  },
  'A user token that is good now.',
  { client_id: uuid('Of the application that signed the user in. Absent where none is recorded.') },
)
