import { pipe } from 'fp-ts/lib/function.js'
import * as TE from 'fp-ts/lib/TaskEither.js'
import type { Authenticate } from '../../../application/sessions/authenticate.ts'
import type { StepUp } from '../../../application/sessions/step-up.ts'
import type { StepUpProblem } from '../../../domain/step-up.ts'
import { EXAMPLE } from '../operation/example-values.ts'
import { jsonFields } from '../operation/fields.ts'
import { byToken } from '../operation/guards.ts'
import { operation } from '../operation/operation.ts'
import { type Codes, ok } from '../operation/response.ts'
import type { Route } from '../operation/route.ts'
import { object } from '../operation/schema.ts'
import { ANSWER_FIELDS, IDENTITY_REFUSED } from './identity-codes.ts'
import { PROOF_ERRORS, PROOF_FIELDS } from './second-factor.ts'
import { USER_TOKEN } from './signed-in.ts'

/** Authenticates a signed-in user again (docs/assurance.md). */
export const stepUpRoute = ({
  authenticate,
  stepUp,
}: Readonly<{ authenticate: Authenticate; stepUp: StepUp }>): Route => ({
  path: '/api/v1/profile/step_up',
  methods: {
    POST: operation(
      {
        id: 'stepUp',
        tag: 'Profile',
        summary: 'Authenticate the user again',
        details:
          'Returns a new token of the same session, with a new `auth_time`. It ends with the session at the latest. The former token stays valid, but its claims do not change.',
        access: byToken(authenticate, 'stepUp'),
        body: FIELDS,
        successes: [
          { status: 200, description: 'The new token is in the response.', body: object(USER_TOKEN) },
        ],
        codes: CODES,
        failures: ['ProviderUnavailable', 'Overloaded', 'KeyUnusable'],
        examples: [
          {
            summary: 'The right password',
            fields: { password: EXAMPLE.password },
            status: 200,
            body: { token: EXAMPLE.userToken, expires_in: 43_200, ...EXAMPLE.assurance, roles: [] },
          },
          {
            summary: 'A wrong password',
            fields: { password: EXAMPLE.wrongPassword },
            problems: ['PasswordWrong'],
          },
          { summary: 'No fields', fields: {}, problems: ['ProofMissing'] },
        ],
      },
      ({ caller, fields: { recovery_code, ...fields }, context }) =>
        pipe(
          stepUp(context, caller, { ...fields, recoveryCode: recovery_code }),
          TE.map(({ token, expiresInSeconds, acr, amr, roles }) =>
            ok({ token, expires_in: expiresInSeconds, acr, amr, roles }),
          ),
        ),
    ),
  },
})

const FIELDS = {
  ...jsonFields(
    {
      password: {
        description: 'The current password. It is not enough while a second factor is due.',
        example: EXAMPLE.password,
        format: 'password',
      },
      ...PROOF_FIELDS,
      ...ANSWER_FIELDS,
    },
    [],
  ),
  needsOneField: true,
} as const

const SECOND_FACTOR_NEEDED = 'This account needs a second factor. Send totp, recovery_code or credential.'

const CODES: Codes<StepUpProblem> = {
  ProofMissing: {
    code: 1,
    param: 'password',
    message: 'Send exactly one of password, totp, recovery_code and credential, or transaction with answer.',
  },
  PasswordWrong: { code: 2, param: 'password', message: 'password is not the current password.' },
  TotpWrong: { code: 3, ...PROOF_ERRORS.TotpWrong },
  RecoveryCodeWrong: { code: 4, ...PROOF_ERRORS.RecoveryCodeWrong },
  CredentialInvalid: { code: 5, ...PROOF_ERRORS.CredentialInvalid },
  PasswordNotEnough: {
    code: 6,
    param: 'password',
    message: SECOND_FACTOR_NEEDED,
  },
  IdentityRefused: { code: 7, param: 'answer', message: IDENTITY_REFUSED.message },
  IdentityNotEnough: { code: 8, param: 'answer', message: SECOND_FACTOR_NEEDED },
}
