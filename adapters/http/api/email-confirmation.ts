import { pipe } from 'fp-ts/lib/function.js'
import { toNullable } from 'fp-ts/lib/Option.js'
import * as TE from 'fp-ts/lib/TaskEither.js'
import type { CompleteEmailConfirmation } from '../../../application/accounts/complete-email-confirmation.ts'
import type { StartEmailConfirmation } from '../../../application/accounts/start-email-confirmation.ts'
import type { Authenticate } from '../../../application/sessions/authenticate.ts'
import {
  EMAIL_CONFIRMATION_START_CODES as CODES,
  type EmailConfirmationProblem,
  type EmailConfirmationStartProblem,
} from '../../../domain/email-confirmation.ts'
import { EXAMPLE } from '../operation/example-values.ts'
import { jsonFields } from '../operation/fields.ts'
import { byToken, PUBLIC } from '../operation/guards.ts'
import { operation } from '../operation/operation.ts'
import { type Codes, OPERATION_RESULT, ok, operationResult } from '../operation/response.ts'
import type { Route } from '../operation/route.ts'
import { integer, nullable, object, text } from '../operation/schema.ts'
import { item } from './new-password.ts'

/** Starts the confirmation of an e-mail for an application (docs/account-life.md §3.1). */
export const startEmailConfirmationRoute = ({
  authenticate,
  startEmailConfirmation,
}: Readonly<{
  authenticate: Authenticate
  startEmailConfirmation: StartEmailConfirmation
}>): Route => ({
  path: '/api/v1/users/email_confirmation',
  methods: {
    POST: operation(
      {
        id: 'startEmailConfirmation',
        tag: 'Users',
        summary: 'Start the confirmation of an e-mail',
        details:
          'Makes a one-time token. Mail it to `email` of the request. If that is another e-mail than the one on record, the request needs the password of the user, and `user_token` while a second factor is due. A user without a password needs only `user_token`. Then tell the e-mail in `notify` about the change too.',
        access: byToken(authenticate, 'startEmailConfirmation'),
        body: START_FIELDS,
        successes: [
          {
            status: 200,
            description: 'A token was made.',
            body: object({
              token: text('The one-time token. The server shows it once.'),
              expires_in: integer('The lifetime of the token in seconds.'),
              notify: nullable(text('The e-mail on record that would be replaced, or null.')),
            }),
          },
        ],
        codes: START_CODES,
        failures: ['Overloaded'],
        examples: [
          {
            summary: 'The e-mail on record',
            fields: { user_id: EXAMPLE.userId, email: EXAMPLE.email },
            status: 200,
            body: { token: EXAMPLE.confirmationToken, expires_in: 86_400, notify: null },
          },
          {
            summary: 'Another e-mail',
            fields: { user_id: EXAMPLE.userId, email: EXAMPLE.newEmail, password: EXAMPLE.password },
            status: 200,
            body: { token: EXAMPLE.confirmationToken, expires_in: 86_400, notify: EXAMPLE.email },
          },
          {
            summary: 'Another e-mail and a wrong password',
            fields: { user_id: EXAMPLE.userId, email: EXAMPLE.newEmail, password: EXAMPLE.wrongPassword },
            problems: ['PasswordWrong'],
          },
          {
            summary: 'Another e-mail without a fresh user token, for a user with a second factor',
            fields: {
              user_id: EXAMPLE.userIdWithFactor,
              email: EXAMPLE.newEmail,
              password: EXAMPLE.password,
            },
            problems: ['UserTokenNotFresh'],
          },
          {
            summary: 'No fields',
            fields: {},
            problems: ['UserIdMissing', 'EmailMissing', 'PasswordMissing'],
          },
        ],
      },
      ({ caller, fields: { user_id, email, password, user_token }, context }) =>
        pipe(
          startEmailConfirmation(context, caller, {
            userId: user_id,
            email,
            password,
            userToken: user_token,
          }),
          TE.map(({ token, expiresInSeconds, notify }) =>
            ok({ token, expires_in: expiresInSeconds, notify: toNullable(notify) }),
          ),
        ),
    ),
  },
})

/** Makes the e-mail of a confirmation token the user's (docs/account-life.md §3.2). */
export const completeEmailConfirmationRoute = ({
  completeEmailConfirmation,
}: Readonly<{ completeEmailConfirmation: CompleteEmailConfirmation }>): Route => ({
  path: '/api/v1/users/email_confirmation/complete',
  methods: {
    POST: operation(
      {
        id: 'completeEmailConfirmation',
        tag: 'Users',
        summary: 'Complete the confirmation of an e-mail',
        details:
          'The e-mail becomes the verified e-mail of the user. The one-time token is the only proof, so the request needs no other token. Sessions continue.',
        access: PUBLIC,
        body: COMPLETE_FIELDS,
        successes: [
          {
            status: 200,
            description: 'The e-mail is the verified e-mail of the user.',
            body: OPERATION_RESULT,
          },
        ],
        codes: COMPLETE_CODES,
        failures: ['Overloaded', 'StoreUnavailable'],
        examples: [
          {
            summary: 'A usable token',
            fields: { token: EXAMPLE.confirmationToken },
            status: 200,
            body: operationResult(CONFIRMED).body,
          },
          {
            summary: 'A token that was used or has ended',
            fields: { token: EXAMPLE.endedConfirmationToken },
            problems: ['TokenInvalid'],
          },
          { summary: 'No fields', fields: {}, problems: ['TokenMissing'] },
        ],
      },
      ({ fields, context }) =>
        pipe(
          completeEmailConfirmation(context, fields),
          TE.map(() => operationResult(CONFIRMED)),
        ),
    ),
  },
})

const CONFIRMED = 'The e-mail was confirmed.'

const START_FIELDS = jsonFields(
  {
    user_id: { description: 'The id of the user.', example: EXAMPLE.userId },
    email: { description: 'The e-mail to confirm.', example: EXAMPLE.email, format: 'email' },
    password: {
      description:
        'The password of the user. Required if `email` is another one than the e-mail on record. Ignored if the user has none.',
      example: EXAMPLE.password,
      format: 'password',
    },
    user_token: {
      description:
        'A user token of the user, who was authenticated in the last 600 seconds, not only by the word of an application. Required for another e-mail, if the user has a second factor or no password.',
      example: EXAMPLE.userToken,
      format: 'password',
    },
  },
  ['user_id', 'email'],
)

const START_CODES: Codes<EmailConfirmationStartProblem> = {
  UserIdMissing: item(CODES.UserIdMissing, 'user_id', 'is missing or empty.'),
  EmailMissing: item(CODES.EmailMissing, 'email', 'is missing or empty.'),
  PasswordMissing: item(
    CODES.PasswordMissing,
    'password',
    'is missing or empty. Another e-mail requires it.',
  ),
  UserUnknown: item(CODES.UserUnknown, 'user_id', 'is not an enabled user.'),
  EmailMalformed: item(CODES.EmailMalformed, 'email', 'is not an e-mail address.'),
  EmailTaken: item(CODES.EmailTaken, 'email', 'belongs to another user.'),
  PasswordWrong: item(CODES.PasswordWrong, 'password', 'is not the password of the user.'),
  UserTokenNotFresh: item(
    CODES.UserTokenNotFresh,
    'user_token',
    'is missing or not fresh. This account has a second factor, or no password: let the user prove a second factor, or enrol the first one.',
  ),
}

const COMPLETE_FIELDS = jsonFields({
  token: {
    description: 'The one-time token from the mail.',
    example: EXAMPLE.confirmationToken,
    format: 'password',
  },
})

const COMPLETE_CODES: Codes<EmailConfirmationProblem> = {
  TokenMissing: { code: 1, param: 'token', message: 'token is missing or empty.' },
  TokenInvalid: {
    code: 2,
    param: 'token',
    message: 'token is unknown, was used or has ended, or its e-mail was taken. Start a new confirmation.',
  },
}
