import { pipe } from 'fp-ts/lib/function.js'
import * as TE from 'fp-ts/lib/TaskEither.js'
import type { CompletePasskeyEnrolment } from '../../../application/factors/complete-passkey-enrolment.ts'
import type { StartPasskeyEnrolment } from '../../../application/factors/start-passkey-enrolment.ts'
import type { Authenticate } from '../../../application/sessions/authenticate.ts'
import type { PasskeyEnrolmentProblem } from '../../../domain/passkey-enrolment.ts'
import { EXAMPLE } from '../operation/example-values.ts'
import { jsonFields } from '../operation/fields.ts'
import { byToken } from '../operation/guards.ts'
import { operation } from '../operation/operation.ts'
import { type Codes, created, ok } from '../operation/response.ts'
import type { Route } from '../operation/route.ts'
import { optionsJson, optionsSchema } from './passkey-options.ts'
import { ENROLLED, enrolledJson, START_CODES } from './totp-enrolment.ts'

export type PasskeyEnrolmentUseCases = Readonly<{
  start: StartPasskeyEnrolment
  complete: CompletePasskeyEnrolment
}>

/** The routes with which a signed-in user enrols a passkey (docs/second-factor.md). */
export const passkeyEnrolmentRoutes = (
  authenticate: Authenticate,
  { start, complete }: PasskeyEnrolmentUseCases,
): ReadonlyArray<Route> => [
  {
    path: '/api/v1/profile/factors/passkey',
    methods: {
      POST: operation(
        {
          id: 'startPasskeyEnrolment',
          tag: 'Profile',
          summary: 'Start to enrol a passkey',
          details:
            'Nothing is stored: the challenge comes back in the credential. The user must have been authenticated in the last 600 seconds.',
          access: byToken(authenticate, 'startEnrolment'),
          successes: [{ status: 200, description: 'The options for the browser.', body: CREATION_OPTIONS }],
          codes: START_CODES,
          failures: ['PasskeysOff'],
          examples: [
            {
              summary: 'A user with a verified e-mail',
              status: 200,
              body: { options: EXAMPLE.registrationOptions, expires_in: 300 },
            },
            { summary: 'An e-mail that is not verified', problems: ['EmailNotVerified'] },
          ],
        },
        ({ caller }) => pipe(start(caller), TE.map(optionsJson), TE.map(ok)),
      ),
    },
  },
  {
    path: '/api/v1/profile/factors/passkey/complete',
    methods: {
      POST: operation(
        {
          id: 'completePasskeyEnrolment',
          tag: 'Profile',
          summary: 'Enrol a passkey',
          details:
            'Every other session of the user ends. The current one goes on with a new token of the same expiry. With the first factor come recovery codes.',
          access: byToken(authenticate, 'completeEnrolment'),
          body: FIELDS,
          successes: [{ status: 201, description: 'The factor is enrolled.', body: ENROLLED }],
          codes: CODES,
          failures: ['PasskeysOff', 'Throttled', 'Overloaded', 'KeyUnusable'],
          examples: [
            {
              summary: 'The first factor',
              fields: { credential: EXAMPLE.credential },
              status: 201,
              body: {
                id: EXAMPLE.passkeyId,
                kind: 'passkey',
                name: EXAMPLE.passkeyName,
                token: EXAMPLE.userToken,
                expires_in: 43_200,
                ...EXAMPLE.assuranceOfPasswordAndPasskey,
                roles: [],
                recovery_codes: EXAMPLE.recoveryCodes,
              },
            },
            {
              summary: 'A credential that answers another challenge',
              fields: { credential: EXAMPLE.wrongCredential },
              problems: ['CredentialInvalid'],
            },
            { summary: 'No fields', fields: {}, problems: ['CredentialMissing'] },
          ],
        },
        ({ caller, fields, context }) =>
          pipe(complete(context, caller, fields), TE.map(enrolledJson), TE.map(created)),
      ),
    },
  },
]

const CREATION_OPTIONS = optionsSchema(
  '`PublicKeyCredentialCreationOptionsJSON` of WebAuthn Level 3, for `PublicKeyCredential.parseCreationOptionsFromJSON`.',
)

const FIELDS = jsonFields(
  {
    credential: { description: 'The JSON text of `credential.toJSON()`.', example: EXAMPLE.credential },
    name: {
      description: 'A name for the factor: 1 to 64 printable characters; `Passkey` without one.',
      example: EXAMPLE.passkeyName,
    },
  },
  ['credential'],
)

const ALREADY = { code: 3, param: 'credential', message: 'This passkey is already enrolled.' }

const CODES: Codes<PasskeyEnrolmentProblem> = {
  CredentialMissing: {
    code: 1,
    param: 'credential',
    message: 'credential is missing, empty or no text: send the JSON text of the credential.',
  },
  CredentialInvalid: { code: 2, param: 'credential', message: 'credential does not verify. Start again.' },
  CredentialTaken: ALREADY,
  CredentialYours: ALREADY,
  NameMalformed: { code: 4, param: 'name', message: 'name must have 1 to 64 printable characters.' },
}
