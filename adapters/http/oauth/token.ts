import * as E from 'fp-ts/lib/Either.js'
import { pipe } from 'fp-ts/lib/function.js'
import * as TE from 'fp-ts/lib/TaskEither.js'
import type {
  IssueApplicationToken,
  IssuedApplicationToken,
} from '../../../application/applications/issue-application-token.ts'
import type { Field } from '../../../domain/field.ts'
import { EXAMPLE } from '../operation/example-values.ts'
import type { UnsupportedGrantType } from '../operation/failures.ts'
import { operation } from '../operation/operation.ts'
import { type HttpResponse, ok } from '../operation/response.ts'
import type { Route } from '../operation/route.ts'
import { constant, integer, object, text } from '../operation/schema.ts'
import type { MalformedRequest } from '../request/request.ts'
import { clientForm, required, SENT_KEYS } from './client.ts'
import { BASIC, oauthErrors, toInvalidClient } from './errors.ts'

/** Issues an application token to OAuth clients (RFC 6749 §4.4). It checks the form, then the keys, then the scope. */
export const tokenRoute = ({
  issueApplicationToken,
}: Readonly<{ issueApplicationToken: IssueApplicationToken }>): Route => ({
  path: '/oauth2/token',
  methods: {
    POST: operation(
      {
        id: 'issueOauthToken',
        tag: 'OAuth 2.0',
        summary: 'Get an application token as an OAuth client',
        details: 'Only the grant `client_credentials` (RFC 6749 §4.4).',
        access: SENT_KEYS,
        body: FORM,
        successes: [
          {
            status: 200,
            description: 'A new token.',
            body: object({
              access_token: text('The application token: a JWT (RFC 9068) signed with EdDSA.'),
              token_type: constant('Bearer'),
              expires_in: integer('The lifetime of the token in seconds.'),
              scope: text('The scopes, separated by spaces.'),
            }),
            headers: {
              Pragma: {
                description: 'Required by RFC 6749 §5.1.',
                required: true,
                schema: { type: 'string', enum: ['no-cache'] },
              },
            },
          },
        ],
        toErrorResponse: oauthErrors(BASIC),
        failures: [
          'UnsupportedGrantType',
          'InvalidClient',
          'ScopeNotHeld',
          'Throttled',
          'TooManyTokens',
          'KeyUnusable',
          'StoreUnavailable',
        ],
        examples: [
          {
            summary: 'A token for one scope',
            fields: { grant_type: GRANT_TYPE, scope: 'users:sign_in' },
            status: 200,
            body: {
              access_token: EXAMPLE.applicationToken,
              token_type: 'Bearer',
              expires_in: 3_600,
              scope: 'users:sign_in',
            },
          },
        ],
      },
      ({ caller: keys, fields: { grant_type, scope }, context }) =>
        pipe(
          TE.fromEither(validateGrant(grant_type)),
          TE.chainW(() => issueApplicationToken(context, { ...keys, scope })),
          TE.bimap(toInvalidClient, issued),
        ),
    ),
  },
})

/** Every application may use this grant, so `unauthorized_client` does not occur. */
export const GRANT_TYPE = 'client_credentials'

const FORM = clientForm(
  {
    grant_type: { description: 'The only supported grant.', example: GRANT_TYPE, values: [GRANT_TYPE] },
    scope: {
      description: 'Scopes of the application, separated by spaces. By default all of them.',
      example: 'users:sign_in',
    },
  },
  'grant_type',
)

const validateGrant = (grantType: Field): E.Either<MalformedRequest | UnsupportedGrantType, string> =>
  pipe(
    required('grant_type', grantType),
    E.filterOrElseW(
      (sent) => sent === GRANT_TYPE,
      (): UnsupportedGrantType => ({ _tag: 'UnsupportedGrantType' }),
    ),
  )

/** RFC 6749 §5.1 requires `Pragma`. */
const issued = ({ token, expiresInSeconds, scope }: IssuedApplicationToken): HttpResponse => ({
  ...ok({ access_token: token, token_type: 'Bearer', expires_in: expiresInSeconds, scope }),
  headers: { Pragma: 'no-cache' },
})
