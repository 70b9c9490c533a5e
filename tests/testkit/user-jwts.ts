import type { UserJwts } from '../../application/ports/token-format.ts'
import type { UserJwtClaims } from '../../domain/token.ts'
import { JWT_FORGERIES } from './application-tokens/forged.ts'
import { JWK, jwtCases } from './application-tokens/published.ts'
import type { Runner } from './runner.ts'
import { assuranceCases } from './token-format/assurance.ts'
import { forgedCases } from './token-format/forged.ts'
import { publishedCases } from './token-format/published.ts'
import { checkOn, type Kind, type OpenTokens, tokenFormatContract } from './token-format.ts'

/** Opens a format of user tokens as JWT that shares nothing with others. The suite calls `close` at the end of a case. */
export type OpenUserJwts = OpenTokens<UserJwts>

const KIND: Kind<UserJwtClaims> = {
  purpose: 'user_jwt',
  claims: {
    iss: 'https://auth.example.com',
    sub: '019b7d3f-0000-7000-8000-00000000000a',
    aud: 'https://api.example.com',
    client_id: '019b7d3f-0000-7000-8000-00000000000b',
    sid: '019b7d3f-0000-7000-8000-00000000000c',
    iat: 1_767_323_045,
    exp: 1_767_366_245,
    jti: '019b7d3f-0000-7000-8000-00000000000d',
    auth_time: 1_767_322_999,
    acr: 'aal1',
    amr: ['pwd'],
  },
}

/**
 * The contract suite of `UserJwts`.
 *
 * @param open is called once for each case
 */
export const userJwtsContract = (runner: Runner, open: OpenUserJwts): void => {
  const check = checkOn(runner, open, KIND.purpose)
  tokenFormatContract(runner, open, KIND)
  runner.describe('the claims about the user', () => assuranceCases(check, KIND))
  runner.describe('a published key', () => {
    jwtCases(check, KIND)
    publishedCases(check, KIND, JWK)
  })
  runner.describe('a JWT that was forged', () => forgedCases(check, KIND, JWT_FORGERIES))
}
