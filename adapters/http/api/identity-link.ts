import { pipe } from 'fp-ts/lib/function.js'
import * as TE from 'fp-ts/lib/TaskEither.js'
import type { CompleteIdentityLink } from '../../../application/factors/complete-identity-link.ts'
import type { StartIdentityLink, StartIdentityStepUp } from '../../../application/factors/start-identity.ts'
import type { Authenticate } from '../../../application/sessions/authenticate.ts'
import type { IdentityAnswerProblem, IdentityLinkProblem } from '../../../domain/identity.ts'
import { EXAMPLE } from '../operation/example-values.ts'
import { jsonFields } from '../operation/fields.ts'
import { byToken } from '../operation/guards.ts'
import { operation } from '../operation/operation.ts'
import { type Codes, created, ok } from '../operation/response.ts'
import type { Route } from '../operation/route.ts'
import { object, text, uuid } from '../operation/schema.ts'
import {
  ANSWER_CODES,
  ANSWER_FIELDS,
  IDENTITY_START_CODES,
  IDENTITY_START_FIELDS,
  IDENTITY_STARTED,
  LINK_CODES,
  LINK_START_CODES,
  STARTED_EXAMPLE,
  startedJson,
} from './identity-codes.ts'
import { answerAlone, USER_TOKEN } from './signed-in.ts'

type UseCases = Readonly<{
  startLink: StartIdentityLink
  completeLink: CompleteIdentityLink
  startStepUp: StartIdentityStepUp
}>

/** The routes with which a signed-in user links an identity, or proves a linked one again (docs/identities.md). */
export const identityLinkRoutes = (
  authenticate: Authenticate,
  { startLink, completeLink, startStepUp }: UseCases,
): ReadonlyArray<Route> => [
  {
    path: '/api/v1/profile/identities',
    methods: {
      POST: operation(
        {
          id: 'startIdentityLink',
          tag: 'Profile',
          summary: 'Start to link an identity to the user',
          details: 'Nothing is stored. The user must have been authenticated in the last 600 seconds.',
          access: byToken(authenticate, 'startIdentityLink'),
          body: IDENTITY_START_FIELDS,
          successes: [IDENTITY_STARTED],
          codes: { ...IDENTITY_START_CODES, ...LINK_START_CODES },
          failures: ['ProviderUnavailable'],
          examples: [
            { summary: 'Google', ...STARTED_EXAMPLE },
            { summary: 'No fields', fields: {}, problems: ['ProviderUnknown', 'RedirectUriUnknown'] },
          ],
        },
        ({ caller, fields: { provider, redirect_uri } }) =>
          pipe(startLink(caller, { provider, redirectUri: redirect_uri }), TE.map(startedJson), TE.map(ok)),
      ),
    },
  },
  {
    path: '/api/v1/profile/identities/complete',
    methods: {
      POST: operation(
        {
          id: 'completeIdentityLink',
          tag: 'Profile',
          summary: 'Link an identity to the user',
          details:
            'Every other session of the user ends. The current one goes on with a new token of the same expiry and the same `auth_time`. The identity is in the list of factors, which renames and removes it.',
          access: byToken(authenticate, 'completeIdentityLink'),
          body: jsonFields(ANSWER_FIELDS),
          successes: [
            {
              status: 201,
              description: 'The identity is linked.',
              body: object({
                id: uuid('The id of the factor.'),
                name: text('What the list of factors calls it.'),
                ...USER_TOKEN,
              }),
            },
          ],
          codes: CODES,
          failures: ['ProviderUnavailable', 'Throttled', 'Overloaded', 'KeyUnusable'],
          examples: [
            {
              summary: 'An identity that nobody has',
              fields: { transaction: EXAMPLE.identityTransaction, answer: EXAMPLE.identityAnswer },
              status: 201,
              body: {
                id: EXAMPLE.identityId,
                name: 'Google',
                token: EXAMPLE.userToken,
                expires_in: 43_200,
                ...EXAMPLE.assurance,
                roles: [],
              },
            },
            {
              summary: 'No fields',
              fields: {},
              problems: ['TransactionEnded', 'AnswerMissing'],
            },
          ],
        },
        ({ caller, fields, context }) =>
          pipe(
            completeLink(context, caller, fields),
            TE.map(({ id, name, token, expiresInSeconds, acr, amr, roles }) =>
              created({ id, name, token, expires_in: expiresInSeconds, acr, amr, roles }),
            ),
            TE.orElseW(answerAlone(CODES)),
          ),
      ),
    },
  },
  {
    path: '/api/v1/profile/step_up/identity',
    methods: {
      POST: operation(
        {
          id: 'startIdentityStepUp',
          tag: 'Profile',
          summary: 'Start to authenticate the user again at an identity provider',
          details:
            'The provider asks the user again. Send its answer to `step_up`, with `transaction`. GitHub does not say when a user authenticated there, so it cannot be used.',
          access: byToken(authenticate, 'stepUp'),
          body: IDENTITY_START_FIELDS,
          successes: [IDENTITY_STARTED],
          codes: IDENTITY_START_CODES,
          failures: ['ProviderUnavailable'],
          examples: [
            { summary: 'Google', ...STARTED_EXAMPLE },
            { summary: 'No fields', fields: {}, problems: ['ProviderUnknown', 'RedirectUriUnknown'] },
          ],
        },
        ({ caller, fields: { provider, redirect_uri } }) =>
          pipe(startStepUp(caller, { provider, redirectUri: redirect_uri }), TE.map(startedJson), TE.map(ok)),
      ),
    },
  },
]

const CODES: Codes<IdentityAnswerProblem | IdentityLinkProblem | 'IdentityRefused'> = {
  ...ANSWER_CODES,
  ...LINK_CODES,
}
