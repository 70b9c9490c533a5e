import { isLeft, left } from 'fp-ts/lib/Either.js'
import * as TE from 'fp-ts/lib/TaskEither.js'
import type { Authenticate } from '../../../application/authenticate.ts'
import type { Introspect } from '../../../application/introspect.ts'
import { SCOPES } from '../../../domain/application.ts'
import { isPresent } from '../../../domain/field.ts'
import { ok } from '../answer.ts'
import { authenticated } from '../authenticated.ts'
import { formFields, readForm } from '../form.ts'
import { malformed } from '../malformed.ts'
import { OF_BODIES, OF_TOKENS, operation } from '../operation.ts'
import type { Route } from '../route.ts'
import { SAMPLE } from '../samples.ts'
import { constant, object, text, uuid, whole } from '../schema.ts'

/**
 * RFC 7662: another service asks about a token. The token asked about comes in the form, and the one that may ask in the
 * header; neither is ever taken for the other.
 */
export const introspectRoute = (authenticate: Authenticate, introspect: Introspect): Route => ({
  path: '/oauth2/introspect',
  methods: {
    POST: operation(
      {
        id: 'introspect',
        group: 'OAuth 2.0',
        summary: 'What a token is worth now',
        details:
          'Token introspection (RFC 7662). Of a token that is not good, whyever, it is said only that it is not. It changes nothing and leaves no trace.',
        access: 'introspect',
        body: FORM,
        successes: [
          {
            status: 200,
            description: 'What the token says, and whose it is.',
            body: { oneOf: [APPLICATION, USER, object({ active: constant(false) })] },
          },
        ],
        fails: [...OF_TOKENS, ...OF_BODIES],
        examples: [
          {
            summary: 'A token that is not good',
            fields: { token: 'nonsense' },
            status: 200,
            answer: { active: false },
          },
        ],
      },
      (request) => async () => {
        const caller = await authenticated(authenticate, 'introspect')(request)()
        if (isLeft(caller)) return caller
        const form = await readForm(request.message, FORM.names)()
        if (isLeft(form)) return form
        const { token } = form.right
        if (!isPresent(token)) return left(malformed('token is missing or empty.'))
        return await TE.map(ok)(introspect(token))()
      },
    ),
  },
})

/** The hint is for services that have to look for a token; ours say themselves what they are. */
const FORM = formFields(
  {
    token: { description: 'The token that is asked about.', example: SAMPLE.userToken },
    token_type_hint: { description: 'Taken, and not needed.', example: 'access_token' },
  },
  ['token'],
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
)
