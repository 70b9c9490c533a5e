import type { SignedIn } from '../../../application/sessions/open-session.ts'
import { ASSURANCE, EMAIL_VERIFIED, integer, object, text, uuid } from '../operation/schema.ts'

/** The members of responses with a user token. */
export const USER_TOKEN = {
  token: text('The user token: a PASETO `v4.public`, or a JWT (RFC 9068) with `USER_TOKEN_FORMAT=jwt`.'),
  expires_in: integer('The lifetime of the token in seconds.'),
  ...ASSURANCE,
}

/** What a sign-in and a renewal return. */
export const SIGNED_IN = object({
  ...USER_TOKEN,
  user_id: uuid('The id of the user.'),
  email_verified: EMAIL_VERIFIED,
})

export const signedInJson = ({ token, expiresInSeconds, userId, emailVerified, acr, amr }: SignedIn) => ({
  token,
  expires_in: expiresInSeconds,
  user_id: userId,
  email_verified: emailVerified,
  acr,
  amr,
})
