import { pipe } from 'fp-ts/lib/function.js'
import * as TE from 'fp-ts/lib/TaskEither.js'
import type { StartedPasskeyEnrolment } from '../../../application/factors/start-passkey-enrolment.ts'
import type { Authenticate } from '../../../application/sessions/authenticate.ts'
import type { StartedAssertion } from '../../../application/sessions/passkey-sign-in.ts'
import type {
  PasskeySecondStepProblem,
  StartPasskeySecondStep,
  StartPasskeyStepUp,
} from '../../../application/sessions/start-assertion.ts'
import { EXAMPLE } from '../operation/example-values.ts'
import { jsonFields } from '../operation/fields.ts'
import { byToken } from '../operation/guards.ts'
import { operation } from '../operation/operation.ts'
import { type Codes, ok } from '../operation/response.ts'
import type { Route } from '../operation/route.ts'
import { integer, object, type Schema } from '../operation/schema.ts'

/** The body of a response with options. */
export const optionsSchema = (description: string): Schema =>
  object({
    options: { type: 'object', description },
    expires_in: integer('How long the challenge may be answered, in seconds.'),
  })

export const REQUEST_OPTIONS = optionsSchema(
  '`PublicKeyCredentialRequestOptionsJSON` of WebAuthn Level 3, for `PublicKeyCredential.parseRequestOptionsFromJSON`.',
)

export const optionsJson = ({ options, expiresInSeconds }: StartedAssertion | StartedPasskeyEnrolment) => ({
  options,
  expires_in: expiresInSeconds,
})

const SUCCESS = { status: 200, description: 'The options for the browser.', body: REQUEST_OPTIONS }
const SECOND_STEP = { options: EXAMPLE.secondStepOptions, expires_in: 300 }

type UseCases = Readonly<{ startSecondStep: StartPasskeySecondStep; startStepUp: StartPasskeyStepUp }>

/** The routes that make options for the passkeys of a known user (docs/second-factor.md). */
export const passkeyOptionsRoutes = (
  authenticate: Authenticate,
  { startSecondStep, startStepUp }: UseCases,
): ReadonlyArray<Route> => [
  {
    path: '/api/v1/auth/user/second_factor/passkey',
    methods: {
      POST: operation(
        {
          id: 'startPasskeySecondStep',
          tag: 'Users',
          summary: 'Make the options for a second step with a passkey',
          details: 'The first step answered with code 4 and this `token`. Nothing is stored.',
          access: byToken(authenticate, 'signIn'),
          body: jsonFields({
            token: { description: 'The token of the first step.', example: EXAMPLE.signInToken },
          }),
          successes: [SUCCESS],
          codes: SECOND_STEP_CODES,
          failures: ['PasskeysOff'],
          examples: [
            {
              summary: 'A user with a passkey',
              fields: { token: EXAMPLE.signInToken },
              status: 200,
              body: SECOND_STEP,
            },
            { summary: 'No fields', fields: {}, problems: ['TokenMissing'] },
          ],
        },
        ({ caller, fields: { token } }) =>
          pipe(startSecondStep(caller, token), TE.map(optionsJson), TE.map(ok)),
      ),
    },
  },
  {
    path: '/api/v1/profile/step_up/passkey',
    methods: {
      POST: operation(
        {
          id: 'startPasskeyStepUp',
          tag: 'Profile',
          summary: 'Make the options for a step-up with a passkey',
          details: 'Nothing is stored.',
          access: byToken(authenticate, 'stepUp'),
          successes: [SUCCESS],
          codes: { NoPasskey: { code: 1, ...NO_PASSKEY } },
          failures: ['PasskeysOff'],
          examples: [
            { summary: 'A user with a passkey', status: 200, body: SECOND_STEP },
            { summary: 'A user without a passkey', problems: ['NoPasskey'] },
          ],
        },
        ({ caller }) => pipe(startStepUp(caller), TE.map(optionsJson), TE.map(ok)),
      ),
    },
  },
]

const NO_PASSKEY = { param: 'factors', message: 'The user has no passkey.' }

const SECOND_STEP_CODES: Codes<PasskeySecondStepProblem> = {
  TokenMissing: { code: 1, param: 'token', message: 'token is missing or empty.' },
  TokenEnded: { code: 2, param: 'token', message: 'token is unknown, used or ended. Sign in again.' },
  NoPasskey: { code: 3, param: 'token', message: 'The user has no passkey.' },
}
