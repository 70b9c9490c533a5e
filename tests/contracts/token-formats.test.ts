import { jwtApplicationTokens } from '../../adapters/credentials/jwt/application-tokens.ts'
import { jwtUserTokens } from '../../adapters/credentials/jwt/user-tokens.ts'
import { pasetoUserTokens } from '../../adapters/credentials/paseto/user-tokens.ts'
import { withTokenCache } from '../../adapters/credentials/signing/token-cache.ts'
import type { ApplicationTokens, UserJwts, UserTokens } from '../../application/ports/token-format.ts'
import { applicationTokensContract } from '../testkit/application-tokens.ts'
import { userJwtsContract } from '../testkit/user-jwts.ts'
import { userTokensContract } from '../testkit/user-tokens.ts'

/** Every format of application tokens, under the same contract. */
const APPLICATION_TOKENS: ReadonlyArray<readonly [string, () => ApplicationTokens]> = [
  ['JWT', jwtApplicationTokens],
  ['JWT with a cache', () => withTokenCache(jwtApplicationTokens())],
]

for (const [name, make] of APPLICATION_TOKENS) {
  describe(`the contract of ApplicationTokens, kept by ${name}`, () =>
    applicationTokensContract({ describe, it }, async () => ({ tokens: make() })))
}

/** Every format of user tokens, under the same contract. */
const USER_TOKENS: ReadonlyArray<readonly [string, () => UserTokens]> = [
  ['PASETO', pasetoUserTokens],
  ['PASETO with a cache', () => withTokenCache(pasetoUserTokens(), { keepsSigned: true })],
]

for (const [name, make] of USER_TOKENS) {
  describe(`the contract of UserTokens, kept by ${name}`, () =>
    userTokensContract({ describe, it }, async () => ({ tokens: make() })))
}

/** Every format of user tokens as JWT, under the same contract. */
const USER_JWTS: ReadonlyArray<readonly [string, () => UserJwts]> = [
  ['JWT', jwtUserTokens],
  ['JWT with a cache', () => withTokenCache(jwtUserTokens(), { keepsSigned: true })],
]

for (const [name, make] of USER_JWTS) {
  describe(`the contract of UserJwts, kept by ${name}`, () =>
    userJwtsContract({ describe, it }, async () => ({ tokens: make() })))
}
