import { pipe } from 'fp-ts/lib/function.js'
import * as TE from 'fp-ts/lib/TaskEither.js'
import type { Authenticate } from '../../../../application/authenticate.ts'
import type { RegisterUser } from '../../../../application/register-user.ts'
import type { PasswordPolicy, PasswordWeakness } from '../../../../domain/password-policy.ts'
import type { RegistrationProblem } from '../../../../domain/registration.ts'
import { type Codes, created } from '../operation/answer.ts'
import { authenticated } from '../operation/authenticated.ts'
import { jsonFields } from '../operation/fields.ts'
import { OF_BODIES, OF_TOKENS, operation } from '../operation/operation.ts'
import type { Route } from '../operation/route.ts'
import { SAMPLE } from '../operation/samples.ts'
import { object, text, uuid } from '../operation/schema.ts'
import { readFields } from '../request/body.ts'
import { impossibleWeaknesses, weaknessCodes } from './weaknesses.ts'

/** An application registers a user. */
export const usersRoute = (
  authenticate: Authenticate,
  registerUser: RegisterUser,
  policy: PasswordPolicy,
): Route => ({
  path: '/api/v1/users',
  methods: {
    POST: operation(
      {
        id: 'registerUser',
        group: 'Users',
        summary: 'Register a user',
        access: 'registerUser',
        body: FIELDS,
        successes: [
          {
            status: 201,
            description: 'The user is registered and may sign in.',
            body: object({
              id: uuid('Of the user, for good.'),
              email: text('As it was sent.'),
            }),
          },
        ],
        codes: codesOf(policy),
        impossible: impossibleWeaknesses(policy),
        fails: [...OF_TOKENS, ...OF_BODIES, 'Overloaded', 'PasswordCheckUnavailable'],
        examples: [
          {
            summary: 'Somebody new',
            fields: { email: SAMPLE.newEmail, password: SAMPLE.newPassword },
            status: 201,
            answer: { id: SAMPLE.userId, email: SAMPLE.newEmail },
          },
          {
            summary: 'An e-mail that is taken, and no password',
            fields: { email: SAMPLE.email },
            wrong: ['PasswordMissing', 'EmailTaken'],
          },
          { summary: 'Nothing at all', fields: {}, wrong: ['EmailMissing', 'PasswordMissing'] },
        ],
      },
      (request) =>
        pipe(
          authenticated(authenticate, 'registerUser')(request),
          TE.bindTo('caller'),
          TE.bindW('fields', () => readFields(request.message, FIELDS.codec)),
          TE.chainW(({ caller, fields }) =>
            registerUser(request.call, fields, { kind: 'application', id: caller.application.id }),
          ),
          TE.map(created),
        ),
    ),
  },
})

const FIELDS = jsonFields({
  email: {
    description:
      'An address as HTML takes it for `type=email`, of at most 254 ASCII characters. It is kept and shown as sent; of two that differ only in case, one can be registered.',
    example: SAMPLE.newEmail,
    format: 'email',
  },
  password: {
    description: 'Kept only as a hash, of exactly what was sent.',
    example: SAMPLE.newPassword,
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
  EmailMalformed: { code: 3, param: 'email', message: 'email is no e-mail address.' },
  EmailTaken: { code: 4, param: 'email', message: 'email belongs to a user already.' },
}
