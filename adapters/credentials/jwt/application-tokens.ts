import * as t from 'io-ts'
import type { ApplicationTokens } from '../../../application/ports/token-format.ts'
import { exactly } from '../signing/claims.ts'
import { jwtFormat, Seconds } from './jwt.ts'

/** Application tokens as JWTs, with the claims of RFC 9068 §2.2. */
export const jwtApplicationTokens = (): ApplicationTokens =>
  jwtFormat(
    'application',
    exactly({
      iss: t.string,
      sub: t.string,
      client_id: t.string,
      aud: t.string,
      iat: Seconds,
      exp: Seconds,
      jti: t.string,
      scope: t.string,
    }),
  )
