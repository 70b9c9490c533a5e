import { pipe } from 'fp-ts/lib/function.js'
import * as TE from 'fp-ts/lib/TaskEither.js'
import * as t from 'io-ts'
import type { Authenticate } from '../../../application/authenticate.ts'
import type { SignIn } from '../../../application/sign-in.ts'
import type { SignOut } from '../../../application/sign-out.ts'
import type { SignInProblem } from '../../../domain/sign-in.ts'
import { type Codes, done, ok, refused } from '../answer.ts'
import { authenticated } from '../authenticated.ts'
import { BodyField, ignoreBody, readFields } from '../body.ts'
import { answerTo } from '../failures.ts'
import type { Request, Route } from '../route.ts'

/** POST signs a user in, for an application; DELETE signs the user out again. */
export const userTokenRoute = (authenticate: Authenticate, signIn: SignIn, signOut: SignOut): Route => ({
  path: '/api/v1/auth/user/token',
  methods: ['POST', 'DELETE'],
  answer: (request) =>
    request.message.method === 'DELETE'
      ? signsOut(authenticate, signOut)(request)
      : signsIn(authenticate, signIn)(request),
})

const signsIn = (authenticate: Authenticate, signIn: SignIn) => (request: Request) =>
  pipe(
    authenticated(authenticate, 'signIn')(request),
    TE.bindTo('caller'),
    TE.bindW('fields', () => readFields(request.message, Fields)),
    TE.chainW(({ caller, fields }) => signIn(request.call, caller, fields)),
    TE.match(
      (failure) => (failure._tag === 'Invalid' ? refused(CODES, failure.problems) : answerTo(failure)),
      ({ token, expiresInSeconds, userId }) => ok({ token, expires_in: expiresInSeconds, user_id: userId }),
    ),
  )

const signsOut = (authenticate: Authenticate, signOut: SignOut) => (request: Request) =>
  pipe(
    authenticated(authenticate, 'signOut')(request),
    TE.chainFirstW(() => ignoreBody(request.message)),
    TE.chainW((caller) => signOut(request.call, caller)),
    TE.match(answerTo, () => done('Signed out.')),
  )

const Fields = t.type({ email: BodyField, password: BodyField })

const CODES: Codes<SignInProblem> = {
  EmailMissing: { code: 1, param: 'email', message: 'email is missing or empty.' },
  PasswordMissing: { code: 2, param: 'password', message: 'password is missing or empty.' },
  PasswordDoesNotMatch: { code: 3, param: 'password', message: 'password does not match the e-mail.' },
}
