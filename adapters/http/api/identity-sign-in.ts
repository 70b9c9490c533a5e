import { pipe } from 'fp-ts/lib/function.js'
import * as TE from 'fp-ts/lib/TaskEither.js'
import type { StartIdentitySignIn } from '../../../application/factors/start-identity.ts'
import type { Authenticate } from '../../../application/sessions/authenticate.ts'
import type { CompleteIdentitySignIn } from '../../../application/sessions/identity-sign-in.ts'
import type { IdentityProblem, IdentitySignInProblem } from '../../../domain/identity.ts'
import { SECOND_FACTOR_TTL_SECONDS } from '../../../domain/second-factor.ts'
import { EXAMPLE } from '../operation/example-values.ts'
import { jsonFields, withFlags } from '../operation/fields.ts'
import { byToken } from '../operation/guards.ts'
import { operation } from '../operation/operation.ts'
import { type Codes, ok } from '../operation/response.ts'
import type { Route } from '../operation/route.ts'
import { flag, object } from '../operation/schema.ts'
import { END_USER_ADDRESS } from '../request/address.ts'
import {
  ANSWER_CODES,
  ANSWER_FIELDS,
  IDENTITY_REFUSED,
  IDENTITY_START_CODES,
  IDENTITY_STARTED,
  START,
  STARTED_EXAMPLE,
  startedJson,
} from './identity-codes.ts'
import {
  answerAlone,
  FACTOR_CODES,
  type FactorProblem,
  LABEL,
  LABEL_MALFORMED,
  REMEMBER,
  SECOND_FACTOR,
  SESSION_OPENED,
  SIGNED_IN_MEMBERS,
  secondFactorJson,
  signedInExample,
  signedInJson,
} from './signed-in.ts'

type UseCases = Readonly<{ startSignIn: StartIdentitySignIn; completeSignIn: CompleteIdentitySignIn }>

/** The routes with which an identity at another provider signs a user in (docs/identities.md). */
export const identitySignInRoutes = (
  authenticate: Authenticate,
  { startSignIn, completeSignIn }: UseCases,
): ReadonlyArray<Route> => [
  {
    path: '/api/v1/auth/user/identity',
    methods: {
      POST: operation(
        {
          id: 'startIdentitySignIn',
          tag: 'Users',
          summary: 'Start a sign-in at an identity provider',
          details: 'Nothing is stored.',
          access: byToken(authenticate, 'signIn'),
          body: START_FIELDS,
          successes: [IDENTITY_STARTED],
          codes: IDENTITY_START_CODES,
          failures: ['ProviderUnavailable'],
          examples: [
            { summary: 'Sign in with Google', ...STARTED_EXAMPLE },
            {
              summary: 'No fields',
              fields: {},
              problems: ['ProviderUnknown', 'RedirectUriUnknown'],
            },
          ],
        },
        ({ caller, fields: { provider, redirect_uri, login_hint } }) =>
          pipe(
            startSignIn(caller, { provider, redirectUri: redirect_uri, loginHint: login_hint }),
            TE.map(startedJson),
            TE.map(ok),
          ),
      ),
    },
  },
  {
    path: '/api/v1/auth/user/identity/complete',
    methods: {
      POST: operation(
        {
          id: 'completeIdentitySignIn',
          tag: 'Users',
          summary: 'Sign a user in whom an identity provider has authenticated',
          details:
            'The first sign-in links the identity to the user with the same e-mail, if both sides have verified it and the user has no second factor. With `IDENTITY_REGISTRATION=on` and the scope `users:register`, an e-mail that no user has makes a user without a password. Code 8 comes with `second_factor`, as code 4 of a sign-in with a password.',
          access: byToken(authenticate, 'signIn'),
          body: FIELDS,
          requestHeaders: [END_USER_ADDRESS],
          successes: [
            {
              ...SESSION_OPENED,
              body: object({
                ...SIGNED_IN_MEMBERS,
                is_new: flag('Whether the user was registered just now.'),
              }),
            },
          ],
          codes: CODES,
          problemMembers: { second_factor: SECOND_FACTOR },
          failures: ['ProviderUnavailable', 'Overloaded', 'KeyUnusable'],
          examples: [
            {
              summary: 'A linked identity',
              fields: {
                transaction: EXAMPLE.identityTransaction,
                answer: EXAMPLE.identityAnswer,
                label: EXAMPLE.label,
              },
              status: 200,
              body: { ...signedInExample(EXAMPLE.assuranceOfIdentity), is_new: false },
            },
            {
              summary: 'A linked identity of a user with a second factor',
              fields: { transaction: EXAMPLE.identityTransaction, answer: EXAMPLE.identityAnswerOfFactor },
              problems: ['SecondFactorDue'],
              more: {
                ...secondFactorJson({
                  token: EXAMPLE.signInToken,
                  expiresInSeconds: SECOND_FACTOR_TTL_SECONDS,
                  methods: ['totp', 'recovery_code'],
                }),
              },
            },
            {
              summary: 'An answer that the provider did not give',
              fields: { transaction: EXAMPLE.identityTransaction, answer: EXAMPLE.wrongIdentityAnswer },
              problems: ['IdentityRefused'],
              more: { message: IDENTITY_REFUSED.message },
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
            completeSignIn(context, caller, fields),
            TE.map((signedIn) => ok({ ...signedInJson(signedIn), is_new: signedIn.isNew })),
            TE.orElseW(answerAlone(CODES)),
          ),
      ),
    },
  },
]

const START_FIELDS = jsonFields(
  {
    ...START,
    login_hint: {
      description: 'The e-mail that the user has typed already. The provider may fill it in.',
      example: EXAMPLE.email,
    },
  },
  ['provider', 'redirect_uri'],
)

const FIELDS = withFlags(jsonFields({ ...ANSWER_FIELDS, ...LABEL }, ['transaction', 'answer']), REMEMBER)

const CODES: Codes<
  IdentitySignInProblem | IdentityProblem | FactorProblem | 'IdentityRefused' | 'EmailNotVerified'
> = {
  ...ANSWER_CODES,
  EmailNotVouchedFor: {
    code: 5,
    param: 'answer',
    message:
      'The provider vouches for no e-mail. Sign in another way, and link this identity to the account.',
  },
  LinkFirst: {
    code: 6,
    param: 'answer',
    message: 'Sign in another way first, or recover the account, and link this identity to it.',
  },
  UserDisabled: { code: 7, param: 'answer', message: 'This account is disabled.' },
  SecondFactorDue: { ...FACTOR_CODES.SecondFactorDue, code: 8 },
  RegistrationOff: { code: 11, param: 'answer', message: 'No account has the e-mail of this identity.' },
  SecondFactorMissing: { ...FACTOR_CODES.SecondFactorMissing, code: 12 },
  LabelMalformed: { code: 13, param: 'label', message: LABEL_MALFORMED },
  EmailNotVerified: { code: 14, param: 'email', message: 'This application requires a confirmed e-mail.' },
}
