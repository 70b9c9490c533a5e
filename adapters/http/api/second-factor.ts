import { pipe } from 'fp-ts/lib/function.js'
import * as TE from 'fp-ts/lib/TaskEither.js'
import type { Authenticate } from '../../../application/sessions/authenticate.ts'
import type { CompleteSignIn } from '../../../application/sessions/complete-sign-in.ts'
import type { ProofProblem, SecondFactorProblem } from '../../../domain/second-factor.ts'
import { EXAMPLE } from '../operation/example-values.ts'
import { type FieldShape, jsonFields } from '../operation/fields.ts'
import { byToken } from '../operation/guards.ts'
import { operation } from '../operation/operation.ts'
import { type Codes, type ErrorItem, ok } from '../operation/response.ts'
import type { Route } from '../operation/route.ts'
import { END_USER_ADDRESS } from '../request/address.ts'
import { SIGNED_IN, signedInJson } from './signed-in.ts'

/** Completes a sign-in with a second factor (docs/second-factor.md). */
export const secondFactorRoute = ({
  authenticate,
  completeSignIn,
}: Readonly<{ authenticate: Authenticate; completeSignIn: CompleteSignIn }>): Route => ({
  path: '/api/v1/auth/user/second_factor',
  methods: {
    POST: operation(
      {
        id: 'completeSignIn',
        tag: 'Users',
        summary: 'Complete a sign-in with a second factor',
        details:
          'The first step answered with code 4 and this `token`. A wrong proof does not use the token up. A proof is judged only with a usable token.',
        access: byToken(authenticate, 'signIn'),
        body: FIELDS,
        requestHeaders: [END_USER_ADDRESS],
        successes: [
          {
            status: 200,
            description: 'A session was opened. Its token is in the response.',
            body: SIGNED_IN,
          },
        ],
        codes: CODES,
        failures: ['Throttled', 'Overloaded', 'KeyUnusable', 'StoreUnavailable'],
        examples: [
          {
            summary: 'A code of the authenticator app',
            fields: { token: EXAMPLE.signInToken, totp: EXAMPLE.totp },
            status: 200,
            body: signedIn(EXAMPLE.assuranceOfApp),
          },
          {
            summary: 'A recovery code',
            fields: { token: EXAMPLE.signInToken, recovery_code: EXAMPLE.recoveryCode },
            status: 200,
            body: signedIn(EXAMPLE.assuranceOfRecoveryCode),
          },
          {
            summary: 'A wrong code',
            fields: { token: EXAMPLE.signInToken, totp: EXAMPLE.wrongTotp },
            problems: ['TotpWrong'],
          },
          {
            summary: 'A wrong recovery code',
            fields: { token: EXAMPLE.signInToken, recovery_code: EXAMPLE.wrongRecoveryCode },
            problems: ['RecoveryCodeWrong'],
          },
          {
            summary: 'A token that has ended, and two proofs',
            fields: {
              token: EXAMPLE.endedSignInToken,
              totp: EXAMPLE.totp,
              recovery_code: EXAMPLE.recoveryCode,
            },
            problems: ['ProofMissing', 'TokenEnded'],
          },
          { summary: 'No fields', fields: {}, problems: ['TokenMissing', 'ProofMissing'] },
        ],
      },
      ({ caller, fields: { token, totp, recovery_code, credential }, context }) =>
        pipe(
          completeSignIn(context, caller, { token, totp, recoveryCode: recovery_code, credential }),
          TE.map((signedIn) => ok(signedInJson(signedIn))),
        ),
    ),
  },
})

const signedIn = (assurance: Readonly<{ acr: string; amr: ReadonlyArray<string> }>) => ({
  token: EXAMPLE.userToken,
  expires_in: 43_200,
  user_id: EXAMPLE.userId,
  email_verified: true,
  ...assurance,
  session_expires_in: 43_200,
})

/** The fields that prove a second factor. */
export const PROOF_FIELDS = {
  totp: {
    description: 'The code that the authenticator app shows now. Spaces do not count.',
    example: EXAMPLE.totp,
  },
  recovery_code: {
    description: 'A recovery code. Hyphens, spaces and the case of letters do not count.',
    example: EXAMPLE.recoveryCode,
  },
  credential: { description: 'The JSON text of `credential.toJSON()`, of a passkey.', example: '{"id":"…"}' },
} as const satisfies Record<string, FieldShape>

const FIELDS = jsonFields(
  {
    token: { description: 'The `token` of `second_factor` of the first step.', example: EXAMPLE.signInToken },
    ...PROOF_FIELDS,
  },
  ['token'],
)

/** What a route says of a refused proof, without its code. */
export const PROOF_ERRORS: Readonly<Record<ProofProblem, Omit<ErrorItem, 'code'>>> = {
  TotpWrong: { param: 'totp', message: 'totp is wrong or has been used.' },
  RecoveryCodeWrong: { param: 'recovery_code', message: 'recovery_code is wrong or has been used.' },
  CredentialInvalid: { param: 'credential', message: 'credential is invalid.' },
}

const CODES: Codes<SecondFactorProblem> = {
  TokenMissing: { code: 1, param: 'token', message: 'token is missing or empty.' },
  ProofMissing: {
    code: 2,
    param: 'totp',
    message: 'Send exactly one of totp, recovery_code and credential.',
  },
  TokenEnded: { code: 3, param: 'token', message: 'token is unknown, used or ended. Sign in again.' },
  TotpWrong: { code: 4, ...PROOF_ERRORS.TotpWrong },
  RecoveryCodeWrong: { code: 5, ...PROOF_ERRORS.RecoveryCodeWrong },
  CredentialInvalid: { code: 6, ...PROOF_ERRORS.CredentialInvalid },
}
