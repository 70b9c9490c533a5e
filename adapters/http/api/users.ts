import { pipe } from 'fp-ts/lib/function.js'
import * as TE from 'fp-ts/lib/TaskEither.js'
import * as t from 'io-ts'
import type { Authenticate } from '../../../application/authenticate.ts'
import type { RegisterUser } from '../../../application/register-user.ts'
import type { PasswordPolicy, PasswordWeakness } from '../../../domain/password-policy.ts'
import type { RegistrationProblem } from '../../../domain/registration.ts'
import { type Codes, created, refused } from '../answer.ts'
import { authenticated } from '../authenticated.ts'
import { BodyField, readFields } from '../body.ts'
import { answerTo } from '../failures.ts'
import type { Route } from '../route.ts'
import { weaknessCodes } from './weaknesses.ts'

/** An application registers a user. */
export const usersRoute = (
  authenticate: Authenticate,
  registerUser: RegisterUser,
  policy: PasswordPolicy,
): Route => {
  const codes: Codes<RegistrationProblem> = { ...CODES, ...weaknessCodes(policy, 5, 'password') }
  return {
    path: '/api/v1/users',
    methods: ['POST'],
    answer: (request) =>
      pipe(
        authenticated(authenticate, 'registerUser')(request),
        TE.bindTo('caller'),
        TE.bindW('fields', () => readFields(request.message, Fields)),
        TE.chainW(({ caller, fields }) =>
          registerUser(request.call, fields, { kind: 'application', id: caller.application.id }),
        ),
        TE.match(
          (failure) => (failure._tag === 'Invalid' ? refused(codes, failure.problems) : answerTo(failure)),
          created,
        ),
      ),
  }
}

const Fields = t.type({ email: BodyField, password: BodyField })

const CODES: Codes<Exclude<RegistrationProblem, PasswordWeakness>> = {
  EmailMissing: { code: 1, param: 'email', message: 'email is missing or empty.' },
  PasswordMissing: { code: 2, param: 'password', message: 'password is missing or empty.' },
  EmailMalformed: { code: 3, param: 'email', message: 'email is no e-mail address.' },
  EmailTaken: { code: 4, param: 'email', message: 'email belongs to a user already.' },
}
