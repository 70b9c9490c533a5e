import { jwtApplicationTokens } from '../../adapters/credentials/jwt/application-tokens.ts'
import { jwtUserTokens } from '../../adapters/credentials/jwt/user-tokens.ts'
import { pasetoUserTokens } from '../../adapters/credentials/paseto/user-tokens.ts'
import type { ApplicationTokens, UserJwts, UserTokens } from '../../application/ports/token-format.ts'
import { applicationTokensContract } from '../testkit/application-tokens.ts'
import { userJwtsContract } from '../testkit/user-jwts.ts'
import { userTokensContract } from '../testkit/user-tokens.ts'
import { type Mutation, proveContract } from './broken/harness.ts'
import type { Mutate } from './broken/mutations.ts'
import { FORMAT_MUTATIONS } from './broken/tokens.ts'
import { ASSURANCE_MUTATIONS } from './broken/tokens-assurance.ts'
import { CHANGED_TOKEN_MUTATIONS } from './broken/tokens-changed.ts'
import { APPLICATION_JWT_MUTATIONS, PASETO_MUTATIONS, USER_JWT_MUTATIONS } from './broken/tokens-published.ts'

/** The mutations of any format, for one kind of token. They ignore the meaning of the claims. */
const ofAnyKind = <Format>() =>
  [...FORMAT_MUTATIONS, ...CHANGED_TOKEN_MUTATIONS] as unknown as ReadonlyArray<Mutation<Mutate<Format>>>

/** The mutations of any format of user tokens. */
const ofUsers = <Format>() => [
  ...ofAnyKind<Format>(),
  ...(ASSURANCE_MUTATIONS as unknown as ReadonlyArray<Mutation<Mutate<Format>>>),
]

const open = <Format extends object>(tokens: Format, mutate: Mutate<Format> = () => ({})) => ({
  tokens: { ...tokens, ...mutate(tokens) },
})

describe('the contract of ApplicationTokens', () =>
  proveContract<Mutate<ApplicationTokens>>(
    (runner, mutate) => applicationTokensContract(runner, async () => open(jwtApplicationTokens(), mutate)),
    [...ofAnyKind<ApplicationTokens>(), ...APPLICATION_JWT_MUTATIONS],
  ))

describe('the contract of UserTokens', () =>
  proveContract<Mutate<UserTokens>>(
    (runner, mutate) => userTokensContract(runner, async () => open(pasetoUserTokens(), mutate)),
    [...ofUsers<UserTokens>(), ...PASETO_MUTATIONS],
  ))

describe('the contract of UserJwts', () =>
  proveContract<Mutate<UserJwts>>(
    (runner, mutate) => userJwtsContract(runner, async () => open(jwtUserTokens(), mutate)),
    [...ofUsers<UserJwts>(), ...USER_JWT_MUTATIONS],
  ))
