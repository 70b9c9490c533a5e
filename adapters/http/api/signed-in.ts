import type { SignedIn } from '../../../application/sessions/open-session.ts'
import { EXAMPLE } from '../operation/example-values.ts'
import { ASSURANCE, EMAIL_VERIFIED, integer, object, text, uuid } from '../operation/schema.ts'

/** The members of responses with a user token. */
export const USER_TOKEN = {
  token: text('The user token: a PASETO `v4.public`, or a JWT (RFC 9068) with `USER_TOKEN_FORMAT=jwt`.'),
  expires_in: integer('The lifetime of the token in seconds.'),
  ...ASSURANCE,
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

/** What a sign-in and a renewal return. */
export const SIGNED_IN = object({
  ...USER_TOKEN,
  user_id: uuid('The id of the user.'),
  email_verified: EMAIL_VERIFIED,
  session_expires_in: integer(
    'How long the session lives without a renewal, in seconds: the `Max-Age` of a cookie with the token.',
  ),
})

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
}: SignedIn) => ({
  token,
  expires_in: expiresInSeconds,
  user_id: userId,
  email_verified: emailVerified,
  acr,
  amr,
  session_expires_in: sessionExpiresInSeconds,
})

/** A response of a sign-in, as the description shows it. */
export const signedInExample = (assurance: Readonly<{ acr: string; amr: ReadonlyArray<string> }>) => ({
  token: EXAMPLE.userToken,
  expires_in: 43_200,
  user_id: EXAMPLE.userId,
  email_verified: true,
  ...assurance,
  session_expires_in: 43_200,
})
