import * as E from 'fp-ts/lib/Either.js'
import { pipe } from 'fp-ts/lib/function.js'
import * as TE from 'fp-ts/lib/TaskEither.js'
import type {
  IssueApplicationToken,
  IssuedApplicationToken,
} from '../../../../application/issue-application-token.ts'
import { type Answer, ok } from '../operation/answer.ts'
import type { UnsupportedGrantType } from '../operation/failures.ts'
import { OF_BODIES, operation } from '../operation/operation.ts'
import type { Route } from '../operation/route.ts'
import { SAMPLE } from '../operation/samples.ts'
import { constant, object, text, whole } from '../operation/schema.ts'
import type { MalformedRequest } from '../request/malformed.ts'
import { type ClientForm, clientForm, needed, readClientForm } from './client.ts'
import { BASIC, orNoLivePair, refusing } from './errors.ts'

/**
 * RFC 6749 §4.4: an application token for an API key pair, as the API's own route issues it, for OAuth clients.
 *
 * What is wrong with the form is said first, then whether the keys are good, then whether they are for that scope.
 */
export const tokenRoute = (issueApplicationToken: IssueApplicationToken): Route => ({
  path: '/oauth2/token',
  methods: {
    POST: operation(
      {
        id: 'issueOauthToken',
        group: 'OAuth 2.0',
        summary: 'Get an application token as an OAuth client',
        details: 'The grant `client_credentials` (RFC 6749 §4.4), and no other.',
        byKeys: true,
        body: FORM,
        successes: [
          {
            status: 200,
            description: 'A new token.',
            body: object({
              access_token: text('The application token: a JWT as RFC 9068 has it, signed with EdDSA.'),
              token_type: constant('Bearer'),
              expires_in: whole('How long the token lives, in seconds.'),
              scope: text('What it may be used for, separated by spaces.'),
            }),
            headers: {
              Pragma: {
                description: 'As RFC 6749 §5.1 asks for.',
                required: true,
                schema: { const: 'no-cache' },
              },
            },
          },
        ],
        refuse: refusing(BASIC),
        fails: [
          ...OF_BODIES,
          'UnsupportedGrantType',
          'InvalidClient',
          'ScopeNotHeld',
          'Throttled',
          'KeyUnusable',
          'StoreUnavailable',
        ],
        examples: [
          {
            summary: 'A token for one scope',
            fields: { grant_type: GRANT_TYPE, scope: 'users:sign_in' },
            status: 200,
            answer: {
              access_token: SAMPLE.applicationToken,
              token_type: 'Bearer',
              expires_in: 3_600,
              scope: 'users:sign_in',
            },
          },
        ],
      },
      ({ message, call }) =>
        pipe(
          readClientForm(message, FORM.names),
          TE.chainFirstEitherKW(validateGrant),
          TE.chainW(({ keys, form: { scope } }) => issueApplicationToken(call, { ...keys, scope })),
          TE.bimap(orNoLivePair, issued),
        ),
    ),
  },
})

/** One grant, which every application may use: there is no `unauthorized_client`. */
export const GRANT_TYPE = 'client_credentials'

const FORM = clientForm(
  {
    grant_type: { description: 'The only one there is.', example: GRANT_TYPE, values: [GRANT_TYPE] },
    scope: {
      description:
        'Some of what the application may do, separated by spaces. All of it where nothing is said.',
      example: 'users:sign_in',
    },
  },
  'grant_type',
)

const validateGrant = ({
  form,
}: ClientForm<'grant_type' | 'scope'>): E.Either<MalformedRequest | UnsupportedGrantType, string> =>
  pipe(
    needed('grant_type', form.grant_type),
    E.filterOrElseW(
      (grantType) => grantType === GRANT_TYPE,
      (): UnsupportedGrantType => ({ _tag: 'UnsupportedGrantType' }),
    ),
  )

/** RFC 6749 §5.1, which asks for `Pragma` too. */
const issued = ({ token, expiresInSeconds, scope }: IssuedApplicationToken): Answer => ({
  ...ok({ access_token: token, token_type: 'Bearer', expires_in: expiresInSeconds, scope }),
  headers: { Pragma: 'no-cache' },
})
