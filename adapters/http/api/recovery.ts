import { pipe } from 'fp-ts/lib/function.js'
import { toNullable } from 'fp-ts/lib/Option.js'
import * as TE from 'fp-ts/lib/TaskEither.js'
import type { CompleteRecovery } from '../../../application/accounts/complete-recovery.ts'
import type { StartRecovery } from '../../../application/accounts/start-recovery.ts'
import type { Authenticate } from '../../../application/sessions/authenticate.ts'
import type { PasswordPolicy } from '../../../domain/password-policy.ts'
import {
  RECOVERY_CODES as CODES,
  type RecoveryProblem,
  type RecoveryStartProblem,
} from '../../../domain/recovery.ts'
import { EXAMPLE } from '../operation/example-values.ts'
import { jsonFields } from '../operation/fields.ts'
import { byToken, PUBLIC } from '../operation/guards.ts'
import { operation } from '../operation/operation.ts'
import { type Codes, OPERATION_RESULT, ok, operationResult } from '../operation/response.ts'
import type { Route } from '../operation/route.ts'
import { EMAIL_VERIFIED, integer, nullable, object, text, uuid } from '../operation/schema.ts'
import { END_USER_ADDRESS } from '../request/address.ts'
import { impossibleWeaknesses, item, NEW_PASSWORD_FIELDS, newPasswordItems } from './new-password.ts'

/** Starts a recovery for an application (docs/account-life.md §2.1). */
export const startRecoveryRoute = ({
  authenticate,
  startRecovery,
}: Readonly<{ authenticate: Authenticate; startRecovery: StartRecovery }>): Route => ({
  path: '/api/v1/users/recovery',
  methods: {
    POST: operation(
      {
        id: 'startRecovery',
        tag: 'Users',
        summary: 'Start a recovery',
        details:
          'Makes a one-time token that sets a new password. Mail it to `email` of the response, never to the e-mail of the request. Without an enabled account, every field except `expires_in` is null. Answer the person the same in both cases.',
        access: byToken(authenticate, 'startRecovery'),
        body: START_FIELDS,
        requestHeaders: [END_USER_ADDRESS],
        successes: [
          {
            status: 200,
            description: 'A token was made if there is an enabled account.',
            body: object({
              token: nullable(text('The one-time token. The server shows it once.')),
              expires_in: integer('The lifetime of the token in seconds.'),
              user_id: nullable(uuid('The id of the user.')),
              email: nullable(text('The e-mail on record. Send the mail to it.')),
              email_verified: nullable(EMAIL_VERIFIED),
            }),
          },
        ],
        codes: START_CODES,
        examples: [
          {
            summary: 'An enabled account',
            fields: { email: EXAMPLE.email },
            status: 200,
            body: {
              token: EXAMPLE.recoveryToken,
              expires_in: 3600,
              user_id: EXAMPLE.userId,
              email: EXAMPLE.email,
              email_verified: true,
            },
          },
          {
            summary: 'An unknown e-mail or a disabled account',
            fields: { email: EXAMPLE.unknownEmail },
            status: 200,
            body: { token: null, expires_in: 3600, user_id: null, email: null, email_verified: null },
          },
          { summary: 'No e-mail', fields: {}, problems: ['EmailMissing'] },
        ],
      },
      ({ caller, fields, context }) =>
        pipe(
          startRecovery(context, caller, fields),
          TE.map(({ expiresInSeconds, account }) => {
            const found = toNullable(account)
            return ok({
              token: found?.token ?? null,
              expires_in: expiresInSeconds,
              user_id: found?.userId ?? null,
              email: found?.email ?? null,
              email_verified: found?.emailVerified ?? null,
            })
          }),
        ),
    ),
  },
})

/** Sets a new password with a recovery token (docs/account-life.md §2.2). */
export const completeRecoveryRoute = ({
  completeRecovery,
  policy,
}: Readonly<{ completeRecovery: CompleteRecovery; policy: PasswordPolicy }>): Route => ({
  path: '/api/v1/users/recovery/complete',
  methods: {
    POST: operation(
      {
        id: 'completeRecovery',
        tag: 'Users',
        summary: 'Complete a recovery',
        details:
          'Sets a new password. The one-time token is the only proof, so the request needs no other token. All sessions and one-time tokens of the user end, and the e-mail counts as verified. Sign the user in afterwards.',
        access: PUBLIC,
        body: COMPLETE_FIELDS,
        requestHeaders: [END_USER_ADDRESS],
        successes: [{ status: 200, description: 'The new password works.', body: OPERATION_RESULT }],
        codes: codesOf(policy),
        impossible: impossibleWeaknesses(policy),
        failures: ['Throttled', 'Overloaded', 'PasswordCheckUnavailable', 'StoreUnavailable'],
        examples: [
          {
            summary: 'A usable token',
            fields: {
              token: EXAMPLE.recoveryToken,
              new_password: EXAMPLE.newPassword,
              new_password_check: EXAMPLE.newPassword,
            },
            status: 200,
            body: operationResult(RECOVERED).body,
          },
          {
            summary: 'A token that was used or has ended, and a wrong repetition',
            fields: {
              token: EXAMPLE.endedRecoveryToken,
              new_password: EXAMPLE.newPassword,
              new_password_check: EXAMPLE.password,
            },
            problems: ['TokenInvalid', 'NewPasswordCheckDiffers'],
          },
          {
            summary: 'No fields',
            fields: {},
            problems: ['TokenMissing', 'NewPasswordMissing', 'NewPasswordCheckMissing'],
          },
        ],
      },
      ({ fields, context }) =>
        pipe(
          completeRecovery(context, {
            token: fields.token,
            newPassword: fields.new_password,
            newPasswordCheck: fields.new_password_check,
          }),
          TE.map(() => operationResult(RECOVERED)),
        ),
    ),
  },
})

const RECOVERED = 'The new password was set.'

const START_FIELDS = jsonFields({
  email: {
    description: 'The e-mail that the person typed. ASCII letters match in any case.',
    example: EXAMPLE.email,
    format: 'email',
  },
})

const START_CODES: Codes<RecoveryStartProblem> = {
  EmailMissing: { code: 1, param: 'email', message: 'email is missing or empty.' },
}

const COMPLETE_FIELDS = jsonFields({
  token: {
    description: 'The one-time token from the mail.',
    example: EXAMPLE.recoveryToken,
    format: 'password',
  },
  ...NEW_PASSWORD_FIELDS,
})

const codesOf = (policy: PasswordPolicy): Codes<RecoveryProblem> => ({
  TokenMissing: item(CODES.TokenMissing, 'token', 'is missing or empty.'),
  TokenInvalid: item(CODES.TokenInvalid, 'token', 'is unknown, was used or has ended. Start a new recovery.'),
  ...newPasswordItems(policy),
})
