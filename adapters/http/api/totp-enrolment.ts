import { pipe } from 'fp-ts/lib/function.js'
import { toNullable } from 'fp-ts/lib/Option.js'
import * as TE from 'fp-ts/lib/TaskEither.js'
import type { CompleteTotpEnrolment } from '../../../application/factors/complete-totp-enrolment.ts'
import type { EnrolledFactor } from '../../../application/factors/enrol-in-session.ts'
import type { StartTotpEnrolment } from '../../../application/factors/start-totp-enrolment.ts'
import type { Authenticate } from '../../../application/sessions/authenticate.ts'
import type { EnrolmentStartProblem } from '../../../domain/factor-enrolment.ts'
import type { TotpEnrolmentProblem } from '../../../domain/totp-enrolment.ts'
import { EXAMPLE } from '../operation/example-values.ts'
import { jsonFields } from '../operation/fields.ts'
import { byToken } from '../operation/guards.ts'
import { operation } from '../operation/operation.ts'
import { type Codes, created, ok } from '../operation/response.ts'
import type { Route } from '../operation/route.ts'
import { integer, object, text, uuid } from '../operation/schema.ts'
import { FACTOR_KIND, RECOVERY_CODES } from './factors.ts'
import { USER_TOKEN } from './signed-in.ts'

/** How a user enrols an authenticator app. */
export type TotpEnrolmentUseCases = Readonly<{
  start: StartTotpEnrolment
  complete: CompleteTotpEnrolment
}>

/** The routes with which a signed-in user enrols an authenticator app (docs/second-factor.md). */
export const totpEnrolmentRoutes = (
  authenticate: Authenticate,
  { start, complete }: TotpEnrolmentUseCases,
): ReadonlyArray<Route> => [startRoute(authenticate, start), completeRoute(authenticate, complete)]

const startRoute = (authenticate: Authenticate, start: StartTotpEnrolment): Route => ({
  path: '/api/v1/profile/factors/totp',
  methods: {
    POST: operation(
      {
        id: 'startTotpEnrolment',
        tag: 'Profile',
        summary: 'Start to enrol an authenticator app',
        details:
          'Nothing is stored: the client brings `enrolment` back. The user must have been authenticated in the last 600 seconds.',
        access: byToken(authenticate, 'startEnrolment'),
        successes: [
          {
            status: 200,
            description: 'The secret for the app.',
            body: object({
              enrolment: text('The state of the enrolment, encrypted. Send it to `/complete`.'),
              secret: text('The secret in base32, for users who type it.'),
              uri: text('The `otpauth` URI with the secret. Show it as a QR code.'),
              expires_in: integer('How long the enrolment may take, in seconds.'),
            }),
          },
        ],
        codes: START_CODES,
        examples: [
          {
            summary: 'A user with a verified e-mail',
            status: 200,
            body: {
              enrolment: EXAMPLE.enrolment,
              secret: EXAMPLE.totpSecret,
              uri: EXAMPLE.otpauthUri,
              expires_in: 600,
            },
          },
          { summary: 'An e-mail that is not verified', problems: ['EmailNotVerified'] },
        ],
      },
      ({ caller }) =>
        pipe(
          start(caller),
          TE.map(({ enrolment, secret, uri, expiresInSeconds }) =>
            ok({ enrolment, secret, uri, expires_in: expiresInSeconds }),
          ),
        ),
    ),
  },
})

const completeRoute = (authenticate: Authenticate, complete: CompleteTotpEnrolment): Route => ({
  path: '/api/v1/profile/factors/totp/complete',
  methods: {
    POST: operation(
      {
        id: 'completeTotpEnrolment',
        tag: 'Profile',
        summary: 'Enrol an authenticator app',
        details:
          'Every other session of the user ends. The current one goes on with a new token of the same expiry. With the first factor come recovery codes.',
        access: byToken(authenticate, 'completeEnrolment'),
        body: FIELDS,
        successes: [
          {
            status: 201,
            description: 'The factor is enrolled.',
            body: ENROLLED,
          },
        ],
        codes: CODES,
        failures: ['Throttled', 'Overloaded', 'KeyUnusable'],
        examples: [
          {
            summary: 'The first factor',
            fields: { enrolment: EXAMPLE.enrolment, totp: EXAMPLE.totp },
            status: 201,
            body: {
              id: EXAMPLE.factorId,
              kind: 'totp',
              name: EXAMPLE.factorName,
              token: EXAMPLE.userToken,
              expires_in: 43_200,
              ...EXAMPLE.assuranceOfApp,
              roles: [],
              recovery_codes: EXAMPLE.recoveryCodes,
            },
          },
          {
            summary: 'A wrong code',
            fields: { enrolment: EXAMPLE.enrolment, totp: EXAMPLE.wrongTotp },
            problems: ['TotpWrong'],
          },
          { summary: 'No fields', fields: {}, problems: ['EnrolmentMissing', 'TotpMissing'] },
        ],
      },
      ({ caller, fields, context }) =>
        pipe(complete(context, caller, fields), TE.map(enrolledJson), TE.map(created)),
    ),
  },
})

/** The body of a response with a new factor. */
export const ENROLLED = object({
  id: uuid('The id of the factor.'),
  kind: FACTOR_KIND,
  name: text('What the user calls the factor.'),
  ...USER_TOKEN,
  recovery_codes: { ...RECOVERY_CODES, type: ['array', 'null'] },
})

export const enrolledJson = ({
  id,
  kind,
  name,
  token,
  expiresInSeconds,
  acr,
  amr,
  roles,
  recoveryCodes,
}: EnrolledFactor) => ({
  id,
  kind,
  name,
  token,
  expires_in: expiresInSeconds,
  acr,
  amr,
  roles,
  recovery_codes: toNullable(recoveryCodes),
})

const FIELDS = jsonFields(
  {
    enrolment: { description: 'The state from the start of the enrolment.', example: EXAMPLE.enrolment },
    totp: { description: 'The code that the app shows. Spaces are ignored.', example: EXAMPLE.totp },
    name: {
      description: 'A name for the factor: 1 to 64 printable characters; `Authenticator app` without one.',
      example: EXAMPLE.factorName,
    },
  },
  ['enrolment', 'totp'],
)

export const START_CODES: Codes<EnrolmentStartProblem> = {
  EmailNotVerified: { code: 1, param: 'email', message: 'The e-mail of the user is not verified.' },
  TooManyFactors: { code: 2, param: 'factors', message: 'The user has 20 second factors already.' },
}

const CODES: Codes<TotpEnrolmentProblem> = {
  EnrolmentMissing: { code: 1, param: 'enrolment', message: 'enrolment is missing or empty.' },
  TotpMissing: { code: 2, param: 'totp', message: 'totp is missing or empty.' },
  EnrolmentEnded: {
    code: 3,
    param: 'enrolment',
    message: 'enrolment has ended or belongs to another session. Start again.',
  },
  TotpWrong: { code: 4, param: 'totp', message: 'totp is not the code that the app shows now.' },
  NameMalformed: { code: 5, param: 'name', message: 'name must have 1 to 64 printable characters.' },
}
