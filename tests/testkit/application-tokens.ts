import type { ApplicationTokens } from '../../application/ports/token-format.ts'
import type { ApplicationTokenClaims } from '../../domain/token.ts'
import { JWT_FORGERIES } from './application-tokens/forged.ts'
import { JWK, jwtCases } from './application-tokens/published.ts'
import { scopeCases } from './application-tokens/scope.ts'
import type { Runner } from './runner.ts'
import { forgedCases } from './token-format/forged.ts'
import { publishedCases } from './token-format/published.ts'
import { checkOn, type Kind, type OpenTokens, tokenFormatContract } from './token-format.ts'

/** Opens a format of application tokens that shares nothing with others. The suite calls `close` at the end of a case. */
export type OpenApplicationTokens = OpenTokens<ApplicationTokens>

const KIND: Kind<ApplicationTokenClaims> = {
  purpose: 'application',
  claims: {
    iss: 'https://auth.example.com',
    sub: '019b7d3f-0000-7000-8000-00000000000a',
    client_id: '019b7d3f-0000-7000-8000-00000000000b',
    aud: 'https://api.example.com',
    iat: 1_767_323_045,
    exp: 1_767_326_645,
    jti: '019b7d3f-0000-7000-8000-00000000000c',
    scope: 'users:sign_in',
  },
}

/**
 * The contract suite of `ApplicationTokens`.
 *
 * @param open is called once for each case
 */
export const applicationTokensContract = (runner: Runner, open: OpenApplicationTokens): void => {
  const check = checkOn(runner, open, KIND.purpose)
  tokenFormatContract(runner, open, KIND)
  runner.describe('scope', () => scopeCases(check, KIND))
  runner.describe('a published key', () => {
    jwtCases(check, KIND)
    publishedCases(check, KIND, JWK)
  })
  runner.describe('a JWT that was forged', () => forgedCases(check, KIND, JWT_FORGERIES))
}
