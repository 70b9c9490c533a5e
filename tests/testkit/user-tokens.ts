import type { UserTokens } from '../../application/ports/token-format.ts'
import type { UserTokenClaims } from '../../domain/token.ts'
import type { Runner } from './runner.ts'
import { assuranceCases } from './token-format/assurance.ts'
import { forgedCases } from './token-format/forged.ts'
import { publishedCases } from './token-format/published.ts'
import { checkOn, type Kind, type OpenTokens, tokenFormatContract } from './token-format.ts'
import { PASETO_FORGERIES } from './user-tokens/forged.ts'
import { PASERK, pasetoCases } from './user-tokens/published.ts'

/** Opens a format of user tokens that shares nothing with others. The suite calls `close` at the end of a case. */
export type OpenUserTokens = OpenTokens<UserTokens>

const KIND: Kind<UserTokenClaims> = {
  purpose: 'user',
  claims: {
    iss: 'https://auth.example.com',
    sub: '019b7d3f-0000-7000-8000-00000000000a',
    sid: '019b7d3f-0000-7000-8000-00000000000b',
    iat: 1_767_323_045,
    exp: 1_767_366_245,
    jti: '019b7d3f-0000-7000-8000-00000000000c',
    auth_time: 1_767_322_999,
    acr: 'aal1',
    amr: ['pwd'],
  },
}

/**
 * The contract suite of `UserTokens`.
 *
 * @param open is called once for each case
 */
export const userTokensContract = (runner: Runner, open: OpenUserTokens): void => {
  const check = checkOn(runner, open, KIND.purpose)
  tokenFormatContract(runner, open, KIND)
  runner.describe('the claims about the user', () => assuranceCases(check, KIND))
  runner.describe('a published key', () => {
    pasetoCases(check, KIND)
    publishedCases(check, KIND, PASERK)
  })
  runner.describe('a PASETO that was forged', () => forgedCases(check, KIND, PASETO_FORGERIES))
}
