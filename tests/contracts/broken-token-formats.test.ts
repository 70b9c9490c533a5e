import { jwtApplicationTokens } from '../../adapters/driven/jwt/application-tokens.ts'
import { pasetoUserTokens } from '../../adapters/driven/paseto/user-tokens.ts'
import type { ApplicationTokens, UserTokens } from '../../application/ports/token-format.ts'
import { applicationTokensContract } from './application-tokens.ts'
import { provesToBeAContract } from './broken/a-contract.ts'
import { brokenAs } from './broken/formats.ts'
import { BROKEN_ANSWERS, BROKEN_NAMES, BROKEN_STRICTNESS, BROKEN_UNUSABLE } from './broken/formats-changed.ts'
import { BROKEN_CLAIMS, BROKEN_KEYS } from './broken/formats-claims.ts'
import { BROKEN_JWTS } from './broken/jwts.ts'
import { BROKEN_PASETOS } from './broken/pasetos.ts'
import { userTokensContract } from './user-tokens.ts'

const BROKEN_FORMATS = [
  ...BROKEN_CLAIMS,
  ...BROKEN_KEYS,
  ...BROKEN_UNUSABLE,
  ...BROKEN_STRICTNESS,
  ...BROKEN_ANSWERS,
  ...BROKEN_NAMES,
]

describe('the contract of ApplicationTokens is a contract', () =>
  provesToBeAContract<() => ApplicationTokens>(
    'a format',
    (runner, open) => applicationTokensContract(runner, async () => ({ tokens: open() })),
    jwtApplicationTokens,
    [...brokenAs(jwtApplicationTokens, BROKEN_FORMATS), ...BROKEN_JWTS],
  ))

describe('the contract of UserTokens is a contract', () =>
  provesToBeAContract<() => UserTokens>(
    'a format',
    (runner, open) => userTokensContract(runner, async () => ({ tokens: open() })),
    pasetoUserTokens,
    [...brokenAs(pasetoUserTokens, BROKEN_FORMATS), ...BROKEN_PASETOS],
  ))
