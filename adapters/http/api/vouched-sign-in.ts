import { pipe } from 'fp-ts/lib/function.js'
import * as TE from 'fp-ts/lib/TaskEither.js'
import type { Authenticate } from '../../../application/sessions/authenticate.ts'
import type { SignInVouched } from '../../../application/sessions/vouched-sign-in.ts'
import { mayVerifyEmail } from '../../../domain/registration.ts'
import { SECOND_FACTOR_TTL_SECONDS } from '../../../domain/second-factor.ts'
import { VOUCHED_METHODS, type VouchedSignInProblem } from '../../../domain/vouched-sign-in.ts'
import { EXAMPLE } from '../operation/example-values.ts'
import { jsonFields, withFlags } from '../operation/fields.ts'
import { byToken } from '../operation/guards.ts'
import { operation } from '../operation/operation.ts'
import { type Codes, ok } from '../operation/response.ts'
import type { Route } from '../operation/route.ts'
import { END_USER_ADDRESS } from '../request/address.ts'
import { item } from './new-password.ts'
import {
  answerAlone,
  FACTOR_CODES,
  type FactorProblem,
  LABEL,
  LABEL_MALFORMED,
  REMEMBER,
  SECOND_FACTOR,
  SESSION_OPENED,
  secondFactorJson,
  signedInExample,
  signedInJson,
} from './signed-in.ts'

/** Signs a user in whom the application has authenticated (docs/vouched-sign-in.md). */
export const vouchedSignInRoute = ({
  authenticate,
  signInVouched,
}: Readonly<{ authenticate: Authenticate; signInVouched: SignInVouched }>): Route => ({
  path: '/api/v1/auth/user/vouched',
  methods: {
    POST: operation(
      {
        id: 'signInVouched',
        tag: 'Users',
        summary: 'Sign a user in whom the application has authenticated',
        details:
          'The application says that it authenticated the user now, for example with another identity provider. Send exactly one of `user_id` and `email`. Code 4 comes with `second_factor`, as at a sign-in with a password.',
        access: byToken(authenticate, 'vouchForUser'),
        body: FIELDS,
        requestHeaders: [END_USER_ADDRESS],
        successes: [SESSION_OPENED],
        codes: CODES,
        problemMembers: { second_factor: SECOND_FACTOR },
        failures: ['Overloaded', 'KeyUnusable'],
        examples: [
          {
            summary: 'A user who came from another identity provider',
            fields: { user_id: EXAMPLE.userId, method: 'fed', label: EXAMPLE.label },
            status: 200,
            body: signedInExample(EXAMPLE.assuranceOfFederation),
          },
          {
            summary: 'A user with a second factor',
            fields: { user_id: EXAMPLE.userIdWithFactor, method: 'fed' },
            problems: ['SecondFactorDue'],
            more: secondFactorJson({
              token: EXAMPLE.signInToken,
              expiresInSeconds: SECOND_FACTOR_TTL_SECONDS,
              methods: ['totp', 'recovery_code'],
            }),
          },
          {
            summary: 'No user has the e-mail, and the method is unknown',
            fields: { email: EXAMPLE.unknownEmail, method: 'google' },
            problems: ['EmailUnknown', 'MethodUnknown'],
          },
          { summary: 'No fields', fields: {}, problems: ['UserNotNamed', 'MethodMissing'] },
        ],
      },
      ({ caller, fields: { user_id, email_verified, ...fields }, context }) =>
        pipe(
          signInVouched(context, caller, {
            ...fields,
            userId: user_id,
            emailVerified: email_verified && mayVerifyEmail(caller.scope),
          }),
          TE.map((signedIn) => ok(signedInJson(signedIn))),
          TE.orElseW(answerAlone(CODES)),
        ),
    ),
  },
})

const FIELDS = withFlags(
  jsonFields(
    {
      user_id: { description: 'The id of the user.', example: EXAMPLE.userId },
      email: {
        description: 'The e-mail of the user, instead of `user_id`. ASCII letters match in any case.',
        example: EXAMPLE.email,
        format: 'email',
      },
      method: {
        description:
          'What the application saw: `fed` another identity provider, `email` a link or code sent to the e-mail on record, `sms` a code sent to a phone, `other` anything else.',
        example: 'fed',
        values: VOUCHED_METHODS,
      },
      ...LABEL,
    },
    ['method'],
  ),
  {
    ...REMEMBER,
    email_verified: {
      description:
        'JSON `true` if the user has proved `email` to the application. Then the user claims an account with an e-mail that is not proved: its password goes, and everything that it opened ends. Every other value, and `true` from an application without the scope `users:confirm_email`, is ignored.',
    },
  },
)

const CODES: Codes<VouchedSignInProblem | FactorProblem> = {
  UserNotNamed: { code: 1, param: 'user_id', message: 'Send exactly one of user_id and email.' },
  UserUnknown: item(2, 'user_id', 'is not a user.'),
  EmailUnknown: item(3, 'email', 'is not the e-mail of a user.'),
  ...FACTOR_CODES,
  // The account page asks for a password or a passkey, and the user may have neither.
  SecondFactorMissing: {
    ...FACTOR_CODES.SecondFactorMissing,
    message:
      'This application requires a second factor, and this account has none. Enrol one in another application, or with the password on the account page. Without a password, recover the account first.',
  },
  LabelMalformed: { code: 6, param: 'label', message: LABEL_MALFORMED },
  MethodMissing: item(7, 'method', 'is missing or empty.'),
  MethodUnknown: item(8, 'method', `is not one of ${VOUCHED_METHODS.join(', ')}.`),
  UserDisabled: item(9, 'user_id', 'is a disabled user.'),
  EmailNotVerified: item(10, 'email', 'is not confirmed.'),
}
