import * as TE from 'fp-ts/lib/TaskEither.js'
import type { SecondFactorDue } from '../../../application/sessions/await-second-factor.ts'
import type { SignedIn } from '../../../application/sessions/open-session.ts'
import type { SecondFactorMissing } from '../../../application/sessions/sign-in.ts'
import { EXAMPLE } from '../operation/example-values.ts'
import { type Codes, type HttpResponse, invalidFields } from '../operation/response.ts'
import { ASSURANCE, array, EMAIL_VERIFIED, integer, object, ROLES, text, uuid } from '../operation/schema.ts'

/** The members of responses with a user token. */
export const USER_TOKEN = {
  token: text('The user token: a PASETO `v4.public`, or a JWT (RFC 9068) with `USER_TOKEN_FORMAT=jwt`.'),
  expires_in: integer('The lifetime of the token in seconds.'),
  ...ASSURANCE,
  roles: ROLES,
}

/** The field with which an application names the device of a sign-in. */
export const LABEL = {
  label: {
    description:
      'What the application calls the device, for the list of sessions: 1 to 100 printable characters. It is deleted with the end of the session.',
    example: EXAMPLE.label,
  },
}

/** The message of a malformed one. */
export const LABEL_MALFORMED = 'label is not 1 to 100 printable characters.'

/** The field of each sign-in with which a user is remembered. */
export const REMEMBER = {
  remember: {
    description:
      'Whether the user wants to be remembered: the session then lives as long as `--remember-ttl` of the application says, or `SESSION_REMEMBER_TTL`. Without either it has no effect.',
  },
}

/** The members of what a sign-in and a renewal return. */
export const SIGNED_IN_MEMBERS = {
  ...USER_TOKEN,
  user_id: uuid('The id of the user.'),
  email_verified: EMAIL_VERIFIED,
  session_expires_in: integer(
    'How long the session lives without a renewal, in seconds: the `Max-Age` of a cookie with the token.',
  ),
}

export const SIGNED_IN = object(SIGNED_IN_MEMBERS)

/** The response of each way to sign in. */
export const SESSION_OPENED = {
  status: 200,
  description: 'A session was opened. Its token is in the response.',
  body: SIGNED_IN,
} as const

export const signedInJson = ({
  token,
  expiresInSeconds,
  sessionExpiresInSeconds,
  userId,
  emailVerified,
  acr,
  amr,
  roles,
}: SignedIn) => ({
  token,
  expires_in: expiresInSeconds,
  user_id: userId,
  email_verified: emailVerified,
  acr,
  amr,
  roles,
  session_expires_in: sessionExpiresInSeconds,
})

/** A response of a sign-in, as the description shows it. */
export const signedInExample = (assurance: Readonly<{ acr: string; amr: ReadonlyArray<string> }>) => ({
  token: EXAMPLE.userToken,
  expires_in: 43_200,
  user_id: EXAMPLE.userId,
  email_verified: true,
  ...assurance,
  roles: [],
  session_expires_in: 43_200,
})

export type FactorProblem = (SecondFactorDue | SecondFactorMissing)['_tag']

/** The codes of a sign-in whose first step succeeded. Clients that know no codes show the messages. */
export const FACTOR_CODES: Codes<FactorProblem> = {
  SecondFactorDue: { code: 4, param: 'second_factor', message: 'This account needs a second factor.' },
  SecondFactorMissing: {
    code: 5,
    param: 'second_factor',
    message:
      'This application requires a second factor, and this account has none. Enrol one on the account page or in another application.',
  },
}

/** What their 422 has beside `errors`. */
export const SECOND_FACTOR = object(
  {
    token: text('The sign-in that waits: a one-time token.'),
    expires_in: integer('The lifetime of the token in seconds.'),
    methods: array(
      text('`totp` or `recovery_code`.'),
      'What the user can prove. Ignore methods that you do not know.',
    ),
  },
  'Only with code 4: what completes the sign-in.',
)

/** What the 422 of a waiting sign-in has beside its code. */
export const secondFactorJson = ({
  token,
  expiresInSeconds,
  methods,
}: Pick<SecondFactorDue, 'token' | 'expiresInSeconds' | 'methods'>) => ({
  message: FACTOR_CODES.SecondFactorDue.message,
  second_factor: { token, expires_in: expiresInSeconds, methods },
})

/** Answers a failure that is itself a code of the route: it comes alone. Other failures stay. */
export const answerAlone =
  <Problem extends string>(codes: Codes<Problem>) =>
  <Failure extends Readonly<{ _tag: string }>>(
    failure: Failure,
  ): TE.TaskEither<Exclude<Failure, Readonly<{ _tag: Problem }>>, HttpResponse> => {
    const { _tag } = failure
    if (!hasCode(codes, _tag)) return TE.left(failure as Exclude<Failure, Readonly<{ _tag: Problem }>>) // the condition excludes them
    const more = isSecondFactorDue(failure) ? secondFactorJson(failure) : { message: codes[_tag].message }
    return TE.right(invalidFields(codes, [_tag], more))
  }

const hasCode = <Problem extends string>(codes: Codes<Problem>, tag: string): tag is Problem =>
  Object.hasOwn(codes, tag)

const isSecondFactorDue = (failure: Readonly<{ _tag: string }>): failure is SecondFactorDue =>
  failure._tag === 'SecondFactorDue'
