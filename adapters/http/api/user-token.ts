import { pipe } from 'fp-ts/lib/function.js'
import * as TE from 'fp-ts/lib/TaskEither.js'
import type { Authenticate } from '../../../application/sessions/authenticate.ts'
import type { EmailNotVerified, SignIn } from '../../../application/sessions/sign-in.ts'
import type { SignOut } from '../../../application/sessions/sign-out.ts'
import { SECOND_FACTOR_TTL_SECONDS } from '../../../domain/second-factor.ts'
import type { SignInProblem } from '../../../domain/sign-in.ts'
import { EXAMPLE } from '../operation/example-values.ts'
import { jsonFields, withFlags } from '../operation/fields.ts'
import { byToken } from '../operation/guards.ts'
import { type HttpOperation, operation } from '../operation/operation.ts'
import { type Codes, OPERATION_RESULT, ok, operationResult } from '../operation/response.ts'
import type { Route } from '../operation/route.ts'
import { END_USER_ADDRESS } from '../request/address.ts'
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

/** POST signs a user in for an application, DELETE signs the user out (docs/contract.md §5). */
export const userTokenRoute = ({ authenticate, signIn, signOut }: Dependencies): Route => ({
  path: '/api/v1/auth/user/token',
  methods: {
    POST: signInOperation({ authenticate, signIn }),
    DELETE: signOutOperation({ authenticate, signOut }),
  },
})

type Dependencies = Readonly<{ authenticate: Authenticate; signIn: SignIn; signOut: SignOut }>

const signInOperation = ({ authenticate, signIn }: Omit<Dependencies, 'signOut'>): HttpOperation =>
  operation(
    {
      id: 'signIn',
      tag: 'Users',
      summary: 'Sign a user in',
      details:
        'A wrong password, an unknown e-mail and a disabled user get the same response after the same work. The server compares passwords exactly as sent. Code 4 comes with `second_factor`: complete the sign-in with `POST /api/v1/auth/user/second_factor`. Code 5: the application requires a second factor, and the user has none. Code 7: it requires a verified e-mail, and the user has none.',
      access: byToken(authenticate, 'signIn'),
      body: FIELDS,
      requestHeaders: [END_USER_ADDRESS],
      successes: [SESSION_OPENED],
      codes: CODES,
      problemMembers: { second_factor: SECOND_FACTOR },
      failures: ['Overloaded', 'KeyUnusable'],
      examples: [
        {
          summary: 'The correct password',
          fields: { email: EXAMPLE.email, password: EXAMPLE.password, label: EXAMPLE.label },
          status: 200,
          body: signedInExample(EXAMPLE.assurance),
        },
        {
          summary: 'A wrong password or an unknown e-mail',
          fields: { email: EXAMPLE.email, password: EXAMPLE.wrongPassword },
          problems: ['PasswordDoesNotMatch'],
        },
        {
          summary: 'The correct password of a user with a second factor',
          fields: { email: EXAMPLE.emailWithFactor, password: EXAMPLE.password },
          problems: ['SecondFactorDue'],
          more: secondFactorJson({
            token: EXAMPLE.signInToken,
            expiresInSeconds: SECOND_FACTOR_TTL_SECONDS,
            methods: ['totp', 'recovery_code'],
          }),
        },
        {
          summary:
            'The correct password of a user without a second factor, in an application that requires one',
          fields: { email: EXAMPLE.email, password: EXAMPLE.password },
          problems: ['SecondFactorMissing'],
          more: { message: FACTOR_CODES.SecondFactorMissing.message },
        },
        {
          summary:
            'The correct password of a user whose e-mail is not verified, in an application that requires it',
          fields: { email: EXAMPLE.email, password: EXAMPLE.password },
          problems: ['EmailNotVerified'],
          more: { message: EMAIL_NOT_VERIFIED },
        },
        {
          summary: 'The correct password of a user who wants to be remembered',
          fields: { email: EXAMPLE.email, password: EXAMPLE.password, remember: true },
          status: 200,
          body: signedInExample(EXAMPLE.assurance),
        },
        {
          summary: 'A label of two lines, and no password',
          fields: { email: EXAMPLE.email, label: 'Firefox\non Linux' },
          problems: ['PasswordMissing', 'LabelMalformed'],
        },
        { summary: 'No fields', fields: {}, problems: ['EmailMissing', 'PasswordMissing'] },
      ],
    },
    ({ caller, fields, context }) =>
      pipe(
        signIn(context, caller, fields),
        TE.map((signedIn) => ok(signedInJson(signedIn))),
        TE.orElseW(answerAlone(CODES)),
      ),
  )

const signOutOperation = ({ authenticate, signOut }: Omit<Dependencies, 'signIn'>): HttpOperation =>
  operation(
    {
      id: 'signOut',
      tag: 'Users',
      summary: 'Sign the user out',
      details: 'Ends the session of the token. Other sessions of the user continue.',
      access: byToken(authenticate, 'signOut'),
      successes: [
        { status: 200, description: 'The session and its token have ended.', body: OPERATION_RESULT },
      ],
      failures: ['Overloaded'],
      examples: [{ summary: 'Signed out', status: 200, body: operationResult(SIGNED_OUT).body }],
    },
    ({ caller, context }) =>
      pipe(
        signOut(context, caller),
        TE.map(() => operationResult(SIGNED_OUT)),
      ),
  )

const SIGNED_OUT = 'Signed out.'

const FIELDS = withFlags(
  jsonFields(
    {
      email: {
        description: 'The e-mail of the user. ASCII letters match in any case.',
        example: EXAMPLE.email,
        format: 'email',
      },
      password: { description: 'The password of the user.', example: EXAMPLE.password, format: 'password' },
      ...LABEL,
    },
    ['email', 'password'],
  ),
  REMEMBER,
)

/** Clients that know no codes show the message. */
const EMAIL_NOT_VERIFIED = 'email is not confirmed.'

const CODES: Codes<SignInProblem | FactorProblem | EmailNotVerified['_tag']> = {
  EmailMissing: { code: 1, param: 'email', message: 'email is missing or empty.' },
  PasswordMissing: { code: 2, param: 'password', message: 'password is missing or empty.' },
  PasswordDoesNotMatch: { code: 3, param: 'password', message: 'password does not match the e-mail.' },
  ...FACTOR_CODES,
  LabelMalformed: { code: 6, param: 'label', message: LABEL_MALFORMED },
  EmailNotVerified: { code: 7, param: 'email', message: EMAIL_NOT_VERIFIED },
}
