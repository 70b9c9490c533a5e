import { pipe } from 'fp-ts/lib/function.js'
import * as TE from 'fp-ts/lib/TaskEither.js'
import type { Authenticate } from '../../../../application/authenticate.ts'
import type { SignIn } from '../../../../application/sign-in.ts'
import type { SignOut } from '../../../../application/sign-out.ts'
import type { SignInProblem } from '../../../../domain/sign-in.ts'
import { type Codes, DONE, done, ok } from '../operation/answer.ts'
import { authenticated } from '../operation/authenticated.ts'
import { jsonFields } from '../operation/fields.ts'
import {
  type HttpOperation,
  OF_BODIES,
  OF_IGNORED_BODIES,
  OF_TOKENS,
  operation,
} from '../operation/operation.ts'
import type { Route } from '../operation/route.ts'
import { SAMPLE } from '../operation/samples.ts'
import { object, text, uuid, whole } from '../operation/schema.ts'
import { ignoreBody, readFields } from '../request/body.ts'

/** POST signs a user in, for an application; DELETE signs the user out again. */
export const userTokenRoute = (authenticate: Authenticate, signIn: SignIn, signOut: SignOut): Route => ({
  path: '/api/v1/auth/user/token',
  methods: { POST: signsIn(authenticate, signIn), DELETE: signsOut(authenticate, signOut) },
})

const signsIn = (authenticate: Authenticate, signIn: SignIn): HttpOperation =>
  operation(
    {
      id: 'signIn',
      group: 'Users',
      summary: 'Sign a user in',
      details:
        'A wrong password, an unknown e-mail and a disabled user get one and the same answer, after the same work. Passwords are compared exactly as sent.',
      access: 'signIn',
      body: FIELDS,
      successes: [
        {
          status: 200,
          description: 'The user is signed in: a session was opened, which the token stands for.',
          body: object({
            token: text('The user token: a PASETO `v4.public`.'),
            expires_in: whole('How long the token lives, in seconds.'),
            user_id: uuid('Whose token it is.'),
          }),
        },
      ],
      codes: CODES,
      fails: [...OF_TOKENS, ...OF_BODIES, 'Overloaded', 'KeyUnusable'],
      examples: [
        {
          summary: 'The right password',
          fields: { email: SAMPLE.email, password: SAMPLE.password },
          status: 200,
          answer: { token: SAMPLE.userToken, expires_in: 43_200, user_id: SAMPLE.userId },
        },
        {
          summary: 'A wrong password, or an e-mail that nobody has',
          fields: { email: SAMPLE.email, password: SAMPLE.wrongPassword },
          wrong: ['PasswordDoesNotMatch'],
        },
        { summary: 'Nothing at all', fields: {}, wrong: ['EmailMissing', 'PasswordMissing'] },
      ],
    },
    (request) =>
      pipe(
        authenticated(authenticate, 'signIn')(request),
        TE.bindTo('caller'),
        TE.bindW('fields', () => readFields(request.message, FIELDS.codec)),
        TE.chainW(({ caller, fields }) => signIn(request.call, caller, fields)),
        TE.map(({ token, expiresInSeconds, userId }) =>
          ok({ token, expires_in: expiresInSeconds, user_id: userId }),
        ),
      ),
  )

const signsOut = (authenticate: Authenticate, signOut: SignOut): HttpOperation =>
  operation(
    {
      id: 'signOut',
      group: 'Users',
      summary: 'Sign the user out',
      details: 'Ends the session that the token stands for. Other sessions of the user live on.',
      access: 'signOut',
      successes: [{ status: 200, description: 'The token works no more.', body: DONE }],
      fails: [...OF_TOKENS, ...OF_IGNORED_BODIES, 'Overloaded'],
      examples: [{ summary: 'Signed out', status: 200, answer: done(SIGNED_OUT).body }],
    },
    (request) =>
      pipe(
        authenticated(authenticate, 'signOut')(request),
        TE.chainFirstW(() => ignoreBody(request.message)),
        TE.chainW((caller) => signOut(request.call, caller)),
        TE.map(() => done(SIGNED_OUT)),
      ),
  )

const SIGNED_OUT = 'Signed out.'

const FIELDS = jsonFields({
  email: {
    description: 'Of the user. Letters are compared without regard to case.',
    example: SAMPLE.email,
    format: 'email',
  },
  password: { description: 'Of the user.', example: SAMPLE.password, format: 'password' },
})

const CODES: Codes<SignInProblem> = {
  EmailMissing: { code: 1, param: 'email', message: 'email is missing or empty.' },
  PasswordMissing: { code: 2, param: 'password', message: 'password is missing or empty.' },
  PasswordDoesNotMatch: { code: 3, param: 'password', message: 'password does not match the e-mail.' },
}
