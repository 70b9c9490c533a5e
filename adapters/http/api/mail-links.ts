import { pipe } from 'fp-ts/lib/function.js'
import * as TE from 'fp-ts/lib/TaskEither.js'
import type { MailEmail } from '../../../application/accounts/mail-email.ts'
import type { MailRecovery } from '../../../application/accounts/mail-recovery.ts'
import type { Authenticate } from '../../../application/sessions/authenticate.ts'
import type { OwnEmailProblem } from '../../../domain/own-email.ts'
import type { RecoveryMailProblem } from '../../../domain/recovery.ts'
import { EXAMPLE } from '../operation/example-values.ts'
import { type FieldShape, jsonFields } from '../operation/fields.ts'
import { byToken } from '../operation/guards.ts'
import { operation } from '../operation/operation.ts'
import { type Codes, OPERATION_RESULT, operationResult } from '../operation/response.ts'
import type { Route } from '../operation/route.ts'
import { END_USER_ADDRESS } from '../request/address.ts'
import { item } from './new-password.ts'

type MailLinks = Readonly<{ recovery: MailRecovery; email: MailEmail }>

/** The routes that mail links to the pages of the service. */
export const mailLinkRoutes = (authenticate: Authenticate, links: MailLinks): ReadonlyArray<Route> => [
  mailRecoveryRoute(authenticate, links.recovery),
  mailEmailRoute(authenticate, links.email),
]

/** Mails a recovery link (docs/account-life.md §2.3). */
const mailRecoveryRoute = (authenticate: Authenticate, mailRecovery: MailRecovery): Route => ({
  path: '/api/v1/users/recovery/mail',
  methods: {
    POST: operation(
      {
        id: 'mailRecovery',
        tag: 'Users',
        summary: 'Mail a recovery link',
        details:
          'The service mails a link to the e-mail on record, if there is an enabled account. On its page the person sets a new password. The response is the same for every e-mail, also for a malformed one.',
        access: byToken(authenticate, 'mailRecovery'),
        body: RECOVERY_FIELDS,
        requestHeaders: [END_USER_ADDRESS],
        successes: [
          {
            status: 200,
            description: 'If there is an account, a mail is on its way.',
            body: OPERATION_RESULT,
          },
        ],
        codes: RECOVERY_CODES,
        failures: ['Overloaded'],
        examples: [
          {
            summary: 'An enabled account',
            fields: { email: EXAMPLE.email, language: EXAMPLE.language },
            status: 200,
            body: operationResult(ON_ITS_WAY).body,
          },
          {
            summary: 'An unknown e-mail',
            fields: { email: EXAMPLE.unknownEmail },
            status: 200,
            body: operationResult(ON_ITS_WAY).body,
          },
          {
            summary: 'No e-mail, a malformed language and an unknown return URL',
            fields: { language: EXAMPLE.wrongLanguage, return_to: EXAMPLE.wrongReturnUrl },
            problems: ['EmailMissing', 'LanguageMalformed', 'ReturnToUnknown'],
          },
        ],
      },
      ({ caller, fields: { email, language, return_to }, context }) =>
        pipe(
          mailRecovery(context, caller, { email, language, returnTo: return_to }),
          TE.map(() => operationResult(ON_ITS_WAY)),
        ),
    ),
  },
})

/** Mails a signed-in user a confirmation link (docs/account-life.md §3.4). */
const mailEmailRoute = (authenticate: Authenticate, mailEmail: MailEmail): Route => ({
  path: '/api/v1/profile/email',
  methods: {
    POST: operation(
      {
        id: 'mailEmail',
        tag: 'Profile',
        summary: 'Mail a confirmation link',
        details:
          'The service mails a link to `email`, or to the e-mail on record. On its page the person confirms the e-mail, which then is that of the account. For another e-mail than that on record, the request needs the password, and the service also warns the e-mail on record. While a second factor is due, or if the user has no password, the user must have been authenticated in the last 600 seconds, not only by the word of an application.',
        access: byToken(authenticate, 'mailEmail'),
        body: EMAIL_FIELDS,
        successes: [{ status: 200, description: 'A mail is on its way.', body: OPERATION_RESULT }],
        codes: EMAIL_CODES,
        failures: ['Overloaded', 'InsufficientAuthentication'],
        examples: [
          {
            summary: 'The e-mail on record',
            fields: {},
            status: 200,
            body: operationResult(MAILED).body,
          },
          {
            summary: 'Another e-mail',
            fields: { email: EXAMPLE.newEmail, password: EXAMPLE.password },
            status: 200,
            body: operationResult(MAILED).body,
          },
          {
            summary: 'Another e-mail and a wrong password',
            fields: { email: EXAMPLE.newEmail, password: EXAMPLE.wrongPassword },
            problems: ['PasswordWrong'],
          },
          {
            summary: 'Another e-mail, no password and an unknown return URL',
            fields: { email: EXAMPLE.newEmail, return_to: EXAMPLE.wrongReturnUrl },
            problems: ['PasswordMissing', 'ReturnToUnknown'],
          },
        ],
      },
      ({ caller, fields: { email, password, language, return_to }, context }) =>
        pipe(
          mailEmail(context, caller, { email, password, language, returnTo: return_to }),
          TE.map(() => operationResult(MAILED)),
        ),
    ),
  },
})

const ON_ITS_WAY = 'If there is an account, a mail is on its way.'
const MAILED = 'A mail is on its way.'

/** Of every request that causes a mail. */
export const LANGUAGE_FIELD: FieldShape = {
  description:
    'The language of the mail, as a language tag (BCP 47). The attribute `locale` of the user comes first. A language that the service does not have counts as absent.',
  example: EXAMPLE.language,
}

const RETURN_TO: FieldShape = {
  description:
    'Where the page behind the link leads back to, after its form: a return URL of the application, with any query.',
  example: EXAMPLE.returnUrl,
}

const RECOVERY_FIELDS = jsonFields(
  {
    email: {
      description: 'The e-mail that the person typed. ASCII letters match in any case.',
      example: EXAMPLE.email,
      format: 'email',
    },
    language: LANGUAGE_FIELD,
    return_to: RETURN_TO,
  },
  ['email'],
)

const EMAIL_FIELDS = jsonFields(
  {
    email: {
      description: 'The e-mail to confirm; by default that on record.',
      example: EXAMPLE.newEmail,
      format: 'email',
    },
    password: {
      description:
        'The password of the user. Required if `email` is another one than the e-mail on record. Ignored if the user has none.',
      example: EXAMPLE.password,
      format: 'password',
    },
    language: LANGUAGE_FIELD,
    return_to: RETURN_TO,
  },
  [],
)

const UNKNOWN_URL = 'is not a return URL of the application.'

export const MALFORMED_LANGUAGE = 'is not a language tag.'

const RECOVERY_CODES: Codes<RecoveryMailProblem> = {
  EmailMissing: item(1, 'email', 'is missing or empty.'),
  LanguageMalformed: item(2, 'language', MALFORMED_LANGUAGE),
  ReturnToUnknown: item(3, 'return_to', UNKNOWN_URL),
}

const EMAIL_CODES: Codes<OwnEmailProblem> = {
  PasswordMissing: item(1, 'password', 'is missing or empty. Another e-mail requires it.'),
  EmailMalformed: item(2, 'email', 'is not an e-mail address.'),
  EmailTaken: item(3, 'email', 'belongs to another user.'),
  PasswordWrong: item(4, 'password', 'is not the password of the user.'),
  LanguageMalformed: item(5, 'language', MALFORMED_LANGUAGE),
  ReturnToUnknown: item(6, 'return_to', UNKNOWN_URL),
}
