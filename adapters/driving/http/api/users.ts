import { pipe } from 'fp-ts/lib/function.js'
import * as TE from 'fp-ts/lib/TaskEither.js'
import type { Authenticate } from '../../../../application/authenticate.ts'
import type { RegisterUser } from '../../../../application/register-user.ts'
import type { PasswordPolicy, PasswordWeakness } from '../../../../domain/password-policy.ts'
import type { RegistrationProblem } from '../../../../domain/registration.ts'
import { authenticated } from '../operation/authenticated.ts'
import { EXAMPLE } from '../operation/example-values.ts'
import { jsonFields } from '../operation/fields.ts'
import { BODY_FAILURES, operation, TOKEN_FAILURES } from '../operation/operation.ts'
import { type Codes, created } from '../operation/response.ts'
import type { Route } from '../operation/route.ts'
import { object, text, uuid } from '../operation/schema.ts'
import { readFields } from '../request/body.ts'
import { impossibleWeaknesses, weaknessCodes } from './weaknesses.ts'

/** Registers a user for an application (docs/contract.md §4). */
export const usersRoute = ({
  authenticate,
  registerUser,
  policy,
}: Readonly<{ authenticate: Authenticate; registerUser: RegisterUser; policy: PasswordPolicy }>): Route => ({
  path: '/api/v1/users',
  methods: {
    POST: operation(
      {
        id: 'registerUser',
        tag: 'Users',
        summary: 'Register a user',
        access: 'registerUser',
        body: FIELDS,
        successes: [
          {
            status: 201,
            description: 'The user is registered and can sign in.',
            body: object({
              id: uuid('The permanent id of the user.'),
              email: text('The e-mail as sent.'),
            }),
          },
        ],
        codes: codesOf(policy),
        impossible: impossibleWeaknesses(policy),
        failures: [...TOKEN_FAILURES, ...BODY_FAILURES, 'Overloaded', 'PasswordCheckUnavailable'],
        examples: [
          {
            summary: 'A new user',
            fields: { email: EXAMPLE.newEmail, password: EXAMPLE.newPassword },
            status: 201,
            body: { id: EXAMPLE.userId, email: EXAMPLE.newEmail },
          },
          {
            summary: 'A registered e-mail and no password',
            fields: { email: EXAMPLE.email },
            problems: ['PasswordMissing', 'EmailTaken'],
          },
          { summary: 'No fields', fields: {}, problems: ['EmailMissing', 'PasswordMissing'] },
        ],
      },
      (request) =>
        pipe(
          authenticated(authenticate, 'registerUser')(request),
          TE.bindTo('caller'),
          TE.bindW('fields', () => readFields(request.message, FIELDS.codec)),
          TE.chainW(({ caller, fields }) =>
            registerUser(request.context, fields, { kind: 'application', id: caller.application.id }),
          ),
          TE.map(created),
        ),
    ),
  },
})

const FIELDS = jsonFields({
  email: {
    description:
      'An address that matches `type=email` of HTML, with at most 254 ASCII characters. The server stores and shows it as sent, and compares ASCII letters in any case.',
    example: EXAMPLE.newEmail,
    format: 'email',
  },
  password: {
    description: 'The server stores only a hash of the exact password.',
    example: EXAMPLE.newPassword,
    format: 'password',
  },
})

const codesOf = (policy: PasswordPolicy): Codes<RegistrationProblem> => ({
  ...CODES,
  ...weaknessCodes(policy, 5, 'password'),
})

const CODES: Codes<Exclude<RegistrationProblem, PasswordWeakness>> = {
  EmailMissing: { code: 1, param: 'email', message: 'email is missing or empty.' },
  PasswordMissing: { code: 2, param: 'password', message: 'password is missing or empty.' },
  EmailMalformed: { code: 3, param: 'email', message: 'email is not an e-mail address.' },
  EmailTaken: { code: 4, param: 'email', message: 'email is already registered.' },
}
