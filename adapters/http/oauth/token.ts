import * as E from 'fp-ts/lib/Either.js'
import { pipe } from 'fp-ts/lib/function.js'
import * as TE from 'fp-ts/lib/TaskEither.js'
import type { OpenAPIV3_1 } from 'openapi-types'
import type {
  IssueApplicationToken,
  IssuedApplicationToken,
} from '../../../application/applications/issue-application-token.ts'
import type { ApplicationTokenRequest } from '../../../domain/application-token.ts'
import type { Field } from '../../../domain/field.ts'
import { EXAMPLE } from '../operation/example-values.ts'
import type { FailureOf, UnsupportedGrantType } from '../operation/failures.ts'
import { type Call, operation } from '../operation/operation.ts'
import { type HttpResponse, ok } from '../operation/response.ts'
import type { Route } from '../operation/route.ts'
import { constant, integer, object, type Schema, text } from '../operation/schema.ts'
import type { MalformedRequest } from '../request/request.ts'
import { clientForm, required, SENT_KEYS } from './client.ts'
import { BASIC, oauthErrors, toInvalidClient } from './errors.ts'

/** The grants of the OpenID provider. */
export const OPENID_GRANTS = ['authorization_code', 'refresh_token'] as const

/** The parameters of the token endpoint, beside those of the client. */
export type TokenFields = Readonly<Record<keyof typeof SHAPES, Field>>

/** What answers the grants of the OpenID provider. */
export type AnswerGrant = (
  call: Call<ApplicationTokenRequest, TokenFields>,
) => TE.TaskEither<FailureOf<(typeof GRANT_FAILURES)[number]>, HttpResponse>

const GRANT_FAILURES = [
  'ClientRefused',
  'InvalidClient',
  'Overloaded',
  'Throttled',
  'KeyUnusable',
  'StoreUnavailable',
] as const

/**
 * Issues tokens to OAuth clients. It checks the form, then the keys, then the scope (RFC 6749 §4.4).
 *
 * @param answerGrant undefined without the OpenID provider
 */
export const tokenRoute = ({
  issueApplicationToken,
  answerGrant,
}: Readonly<{
  issueApplicationToken: IssueApplicationToken
  answerGrant?: AnswerGrant | undefined
}>): Route => {
  const grants = answerGrant === undefined ? [GRANT_TYPE] : [GRANT_TYPE, ...OPENID_GRANTS]
  return {
    path: '/oauth2/token',
    methods: {
      POST: operation(
        {
          id: 'issueOauthToken',
          tag: 'OAuth 2.0',
          summary: 'Get a token as an OAuth client',
          details:
            answerGrant === undefined
              ? 'Only the grant `client_credentials` (RFC 6749 §4.4), for a token of the application.'
              : 'The grant `client_credentials` (RFC 6749 §4.4) gives a token of the application. The grants `authorization_code` and `refresh_token` (OpenID Connect Core §3.1.3, §12) give tokens of the user who signed in. Public clients send `client_id` only.',
          access: SENT_KEYS,
          body: formOf(grants),
          successes: [
            {
              status: 200,
              description: 'A new token.',
              body: answerGrant === undefined ? ISSUED : { oneOf: [ISSUED, OF_USER] },
              headers: PRAGMA,
            },
          ],
          toErrorResponse: oauthErrors(BASIC),
          failures: [
            'UnsupportedGrantType',
            'ScopeNotHeld',
            'NoScopes',
            'TooManyTokens',
            ...(answerGrant === undefined ? WITHOUT_GRANTS : GRANT_FAILURES),
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
        (call) =>
          pipe(
            TE.fromEither(validateGrant(call.fields.grant_type, grants)),
            TE.chainW(
              (grant): TE.TaskEither<IssueFailure, HttpResponse> =>
                grant === GRANT_TYPE || answerGrant === undefined
                  ? issue(issueApplicationToken, call)
                  : answerGrant(call),
            ),
          ),
      ),
    },
  }
}

type IssueFailure = FailureOf<
  (typeof GRANT_FAILURES)[number] | 'ScopeNotHeld' | 'NoScopes' | 'TooManyTokens' | 'InvalidClient'
>

const WITHOUT_GRANTS = ['InvalidClient', 'Throttled', 'KeyUnusable', 'StoreUnavailable'] as const

const issue = (
  issueApplicationToken: IssueApplicationToken,
  { caller: keys, fields: { scope }, context }: Call<ApplicationTokenRequest, TokenFields>,
) => pipe(issueApplicationToken(context, { ...keys, scope }), TE.bimap(toInvalidClient, issued))

/** Every application may use this grant, so `unauthorized_client` does not occur. */
export const GRANT_TYPE = 'client_credentials'

/** The description of the header of responses with a secret. */
export const PRAGMA = {
  Pragma: {
    description: 'Required by RFC 6749 §5.1.',
    required: true,
    schema: { type: 'string', enum: ['no-cache'] },
  },
} satisfies OpenAPIV3_1.ResponseObject['headers']

const ISSUED: Schema = object({
  access_token: text('The application token: a JWT (RFC 9068) signed with EdDSA.'),
  token_type: constant('Bearer'),
  expires_in: integer('The lifetime of the token in seconds.'),
  scope: text('The scopes, separated by spaces.'),
})

const OF_USER: Schema = object(
  {
    access_token: text('The user token: a JWT (RFC 9068) signed with EdDSA.'),
    token_type: constant('Bearer'),
    expires_in: integer('The lifetime of the token in seconds.'),
    refresh_token: text('Gives the next tokens, once. It ends with the session.'),
    scope: text('The scopes of OpenID Connect, separated by spaces.'),
  },
  'Tokens of a user.',
  {
    id_token: text(
      'Who signed in (OpenID Connect Core §2): a JWT signed with RS256. Only with the scope `openid`.',
    ),
  },
)

const SHAPES = {
  grant_type: { description: 'The grant.', example: GRANT_TYPE },
  scope: {
    description: 'Scopes of the application, separated by spaces. By default all of them.',
    example: 'users:sign_in',
  },
  code: { description: 'Of `authorization_code`: the code.', example: 'mVJw0S5oN1b2cX' },
  redirect_uri: {
    description: 'Of `authorization_code`: the same address as at the authorization.',
    example: 'https://shop.example.com/callback',
  },
  code_verifier: { description: 'Of `authorization_code`: the verifier (RFC 7636).', example: EXAMPLE.x },
  refresh_token: { description: 'Of `refresh_token`: the token.', example: 'Jk5Wm0S5oN1b2cX' },
} as const

const formOf = (grants: ReadonlyArray<string>) =>
  clientForm({ ...SHAPES, grant_type: { ...SHAPES.grant_type, values: grants } }, 'grant_type')

const validateGrant = (
  grantType: Field,
  supported: ReadonlyArray<string>,
): E.Either<MalformedRequest | UnsupportedGrantType, string> =>
  pipe(
    required('grant_type', grantType),
    E.filterOrElseW(
      (sent) => supported.includes(sent),
      (): UnsupportedGrantType => ({ _tag: 'UnsupportedGrantType', supported }),
    ),
  )

/** RFC 6749 §5.1 requires `Pragma`. */
const issued = ({ token, expiresInSeconds, scope }: IssuedApplicationToken): HttpResponse => ({
  ...ok({ access_token: token, token_type: 'Bearer', expires_in: expiresInSeconds, scope }),
  headers: { Pragma: 'no-cache' },
})
