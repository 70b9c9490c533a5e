import * as t from 'io-ts'
import type { UserJwts } from '../../../application/ports/token-format.ts'
import { userClaims } from '../signing/claims.ts'
import { jwtFormat, Seconds } from './jwt.ts'

/** User tokens as JWTs, with the claims of RFC 9068 §2.2 the session (`sid`), and how the user was authenticated (`auth_time`, `acr`, `amr`). */
export const jwtUserTokens = (): UserJwts =>
  jwtFormat(
    'user_jwt',
    userClaims(
      {
        iss: t.string,
        sub: t.string,
        aud: t.string,
        client_id: t.string,
        sid: t.string,
        iat: Seconds,
        exp: Seconds,
        jti: t.string,
      },
      Seconds,
    ),
  )
