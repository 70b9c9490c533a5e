import { pipe } from 'fp-ts/lib/function.js'
import * as TE from 'fp-ts/lib/TaskEither.js'
import type { RegisterWithinLimit } from '../../../application/accounts/register-within-limit.ts'
import type { Authenticate } from '../../../application/sessions/authenticate.ts'
import type { PasswordPolicy } from '../../../domain/password-policy.ts'
import {
  REGISTRATION_CODES as CODES,
  mayOmitPassword,
  mayVerifyEmail,
  type RegistrationProblem,
} from '../../../domain/registration.ts'
import { EXAMPLE } from '../operation/example-values.ts'
import { jsonFields, withFlags } from '../operation/fields.ts'
import { byToken } from '../operation/guards.ts'
import { operation } from '../operation/operation.ts'
import { type Codes, created } from '../operation/response.ts'
import type { Route } from '../operation/route.ts'
import { EMAIL_VERIFIED, object, text, uuid } from '../operation/schema.ts'
import { END_USER_ADDRESS } from '../request/address.ts'
import { LANGUAGE_FIELD, MALFORMED_LANGUAGE } from './mail-links.ts'
import { impossibleWeaknesses, item, weaknessItems } from './new-password.ts'

/** Registers a user for an application (docs/contract.md §4). */
export const usersRoute = ({
  authenticate,
  registerUser,
  mailLinks,
  policy,
}: Readonly<{
  authenticate: Authenticate
  registerUser: RegisterWithinLimit
  /** Undefined if the service mails no links. */
  mailLinks: object | undefined
  policy: PasswordPolicy
}>): Route => ({
  path: '/api/v1/users',
  methods: {
    POST: operation(
      {
        id: 'registerUser',
        tag: 'Users',
        summary: 'Register a user',
        access: byToken(authenticate, 'registerUser'),
        body: FIELDS,
        requestHeaders: [END_USER_ADDRESS],
        successes: [
          {
            status: 201,
            description: 'The user is registered and can sign in.',
            body: object({
              id: uuid('The permanent id of the user.'),
              email: text(
                'The e-mail as stored: without outer white space, its domain in A-labels (UTS 46).',
              ),
              email_verified: EMAIL_VERIFIED,
            }),
          },
        ],
        codes: codesOf(policy),
        impossible: [
          ...impossibleWeaknesses(policy),
          ...(mailLinks === undefined ? [] : (['SendConfirmationOff'] as const)),
        ],
        failures: ['Throttled', 'Overloaded', 'PasswordCheckUnavailable'],
        examples: [
          {
            summary: 'A new user',
            fields: { email: EXAMPLE.newEmail, password: EXAMPLE.newPassword },
            status: 201,
            body: { id: EXAMPLE.userId, email: EXAMPLE.newEmail, email_verified: false },
          },
          {
            summary: 'A verified e-mail, without the scope to say so',
            fields: { email: EXAMPLE.newEmail, password: EXAMPLE.newPassword, email_verified: true },
            status: 201,
            body: { id: EXAMPLE.userId, email: EXAMPLE.newEmail, email_verified: false },
          },
          {
            summary: 'No password, without the scope to vouch for the user',
            fields: { email: EXAMPLE.newEmail, without_password: true },
            problems: ['PasswordMissing'],
          },
          {
            summary: 'A registered e-mail and no password',
            fields: { email: EXAMPLE.email },
            problems: ['PasswordMissing', 'EmailTaken'],
          },
          { summary: 'No fields', fields: {}, problems: ['EmailMissing', 'PasswordMissing'] },
        ],
      },
      ({
        caller,
        fields: { email, password, language, email_verified, without_password, send_confirmation },
        context,
      }) =>
        pipe(
          registerUser(
            context,
            {
              email,
              password,
              emailVerified: email_verified && mayVerifyEmail(caller.scope),
              withoutPassword: without_password && mayOmitPassword(caller.scope),
              language,
              sendConfirmation: send_confirmation,
            },
            { kind: 'application', id: caller.application.id },
          ),
          TE.map(({ id, email, emailVerified }) => created({ id, email, email_verified: emailVerified })),
        ),
    ),
  },
})

const FIELDS = withFlags(
  jsonFields(
    {
      email: {
        description:
          'An address that matches `type=email` of HTML, with at most 254 ASCII characters. Before, outer white space is dropped, and the domain becomes its A-labels (UTS 46). The server stores and shows the result, and compares ASCII letters in any case.',
        example: EXAMPLE.newEmail,
        format: 'email',
      },
      password: {
        description:
          'The server stores only a hash of the exact password. Required, unless `without_password` counts.',
        example: EXAMPLE.newPassword,
        format: 'password',
      },
      language: LANGUAGE_FIELD,
    },
    ['email'],
  ),
  {
    email_verified: {
      description:
        'JSON `true` if the application verified the e-mail. Every other value, and `true` from an application without the scope `users:confirm_email`, is ignored.',
    },
    without_password: {
      description:
        'JSON `true` if the user has no password: the application vouches for the user, and a recovery sets the first password. Every other value, `true` beside a `password`, and `true` from an application without the scope `users:vouch`, is ignored.',
    },
    send_confirmation: {
      description:
        'JSON `true` if the service shall mail a link that confirms the e-mail. Every other value is ignored.',
    },
  },
)

const codesOf = (policy: PasswordPolicy): Codes<RegistrationProblem> => ({
  EmailMissing: item(CODES.EmailMissing, 'email', 'is missing or empty.'),
  PasswordMissing: item(CODES.PasswordMissing, 'password', 'is missing or empty.'),
  EmailMalformed: item(CODES.EmailMalformed, 'email', 'is not an e-mail address.'),
  EmailTaken: item(CODES.EmailTaken, 'email', 'is already registered.'),
  ...weaknessItems(policy, CODES, 'password'),
  SendConfirmationOff: item(
    CODES.SendConfirmationOff,
    'send_confirmation',
    'requires a service with MAIL_URL and ACCOUNT_PAGES=on.',
  ),
  LanguageMalformed: item(CODES.LanguageMalformed, 'language', MALFORMED_LANGUAGE),
})
