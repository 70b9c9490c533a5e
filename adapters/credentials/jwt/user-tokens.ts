import * as t from 'io-ts'
import type { UserJwts } from '../../../application/ports/token-format.ts'
import { jwtFormat, Seconds } from './jwt.ts'

/** User tokens as JWTs, with the claims of RFC 9068 §2.2 and the session (`sid`). */
export const jwtUserTokens = (): UserJwts =>
  jwtFormat('user_jwt', {
    iss: t.string,
    sub: t.string,
    aud: t.string,
    client_id: t.string,
    sid: t.string,
    iat: Seconds,
    exp: Seconds,
    jti: t.string,
  })
