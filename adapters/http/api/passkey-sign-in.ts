import { pipe } from 'fp-ts/lib/function.js'
import * as TE from 'fp-ts/lib/TaskEither.js'
import type { Authenticate } from '../../../application/sessions/authenticate.ts'
import type {
  CompletePasskeySignIn,
  StartPasskeySignIn,
} from '../../../application/sessions/passkey-sign-in.ts'
import type { LabelledPasskeySignInProblem } from '../../../domain/passkey-sign-in.ts'
import { EXAMPLE } from '../operation/example-values.ts'
import { jsonFields, withFlags } from '../operation/fields.ts'
import { byToken } from '../operation/guards.ts'
import { operation } from '../operation/operation.ts'
import { type Codes, ok } from '../operation/response.ts'
import type { Route } from '../operation/route.ts'
import { END_USER_ADDRESS } from '../request/address.ts'
import { optionsJson, REQUEST_OPTIONS } from './passkey-options.ts'
import {
  LABEL,
  LABEL_MALFORMED,
  REMEMBER,
  SESSION_OPENED,
  signedInExample,
  signedInJson,
} from './signed-in.ts'

type UseCases = Readonly<{ startSignIn: StartPasskeySignIn; completeSignIn: CompletePasskeySignIn }>

/** The routes with which a passkey alone signs a user in (docs/second-factor.md). */
export const passkeySignInRoutes = (
  authenticate: Authenticate,
  { startSignIn, completeSignIn }: UseCases,
): ReadonlyArray<Route> => [
  {
    path: '/api/v1/auth/user/passkey',
    methods: {
      POST: operation(
        {
          id: 'startPasskeySignIn',
          tag: 'Users',
          summary: 'Make the options for a sign-in with a passkey',
          details: 'They are the same for all users. Nothing is stored.',
          access: byToken(authenticate, 'signIn'),
          successes: [{ status: 200, description: 'The options for the browser.', body: REQUEST_OPTIONS }],
          failures: ['PasskeysOff'],
          examples: [
            {
              summary: 'Any user',
              status: 200,
              body: { options: EXAMPLE.signInOptions, expires_in: 300 },
            },
          ],
        },
        ({ caller }) => pipe(startSignIn(caller), TE.map(optionsJson), TE.map(ok)),
      ),
    },
  },
  {
    path: '/api/v1/auth/user/passkey/complete',
    methods: {
      POST: operation(
        {
          id: 'completePasskeySignIn',
          tag: 'Users',
          summary: 'Sign a user in with a passkey alone',
          details:
            'No password is needed: the passkey verified the user. All refusals look the same, so they tell nothing about accounts.',
          access: byToken(authenticate, 'signIn'),
          body: FIELDS,
          requestHeaders: [END_USER_ADDRESS],
          successes: [SESSION_OPENED],
          codes: CODES,
          failures: ['PasskeysOff', 'Overloaded', 'KeyUnusable'],
          examples: [
            {
              summary: 'A passkey of a user',
              fields: { credential: EXAMPLE.credential },
              status: 200,
              body: signedInExample(EXAMPLE.assuranceOfPasskey),
            },
            {
              summary: 'Any other credential',
              fields: { credential: EXAMPLE.wrongCredential },
              problems: ['PasskeyRefused'],
            },
            {
              summary: 'A label of two lines, and no credential',
              fields: { label: 'Firefox\non Linux' },
              problems: ['CredentialMissing', 'LabelMalformed'],
            },
            { summary: 'No fields', fields: {}, problems: ['CredentialMissing'] },
          ],
        },
        ({ caller, fields, context }) =>
          pipe(completeSignIn(context, caller, fields), TE.map(signedInJson), TE.map(ok)),
      ),
    },
  },
]

const FIELDS = withFlags(
  jsonFields(
    {
      credential: { description: 'The JSON text of `credential.toJSON()`.', example: EXAMPLE.credential },
      ...LABEL,
    },
    ['credential'],
  ),
  REMEMBER,
)

const CODES: Codes<LabelledPasskeySignInProblem> = {
  CredentialMissing: {
    code: 1,
    param: 'credential',
    message: 'credential is missing, empty or no text: send the JSON text of the credential.',
  },
  PasskeyRefused: { code: 2, param: 'credential', message: 'credential does not sign a user in.' },
  LabelMalformed: { code: 3, param: 'label', message: LABEL_MALFORMED },
}
