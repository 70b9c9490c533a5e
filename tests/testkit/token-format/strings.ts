import assert from 'node:assert/strict'
import { none } from 'fp-ts/lib/Option.js'
import type { TokenFormat } from '../../../application/ports/token-format.ts'
import { refused } from '../outcome.ts'
import type { Check } from '../token-format.ts'
import { INVALID } from './keys.ts'

/** `verify` and `keyIdOf` have an answer to any string there is, for it comes from a client. */
export const stringCases = <Claims>(check: Check<TokenFormat<Claims>>): void => {
  for (const [what, strings] of STRINGS) {
    check(`a string that is no token is InvalidToken: ${what}`, async (tokens, key) => {
      for (const string of strings) await refused(tokens.verify(string, [key]), INVALID, string.slice(0, 99))
    })
  }

  check('a string that is no token names no key', async (tokens) => {
    for (const string of STRINGS.flatMap(([, strings]) => strings))
      assert.deepEqual(tokens.keyIdOf(string), none, string.slice(0, 99))
  })
}

/** From RFC 7515, appendix A.1, and the same without a signature. */
const JWT =
  'eyJ0eXAiOiJKV1QiLA0KICJhbGciOiJIUzI1NiJ9.eyJpc3MiOiJqb2UiLA0KICJleHAiOjEzMDA4MTkzODAsDQogImh0dHA6Ly9leGFtcGxlLmNvbS9pc19yb290Ijp0cnVlfQ.dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk'
const UNSIGNED_JWT = `eyJhbGciOiJub25lIn0.${JWT.split('.')[1]}.`

/** 4-S-1 of the test vectors of PASETO (paseto-standard/test-vectors, ISC). */
const PASETO =
  'v4.public.eyJkYXRhIjoidGhpcyBpcyBhIHNpZ25lZCBtZXNzYWdlIiwiZXhwIjoiMjAyMi0wMS0wMVQwMDowMDowMCswMDowMCJ9bg_XBBzds8lTZShVlwwKSgeKpLT3yukTw6JUz3W4h_ExsQV-P0V54zemZDcAxFaSeef1QlXEFtkqxT1ciiQEDA'

const STRINGS: ReadonlyArray<readonly [what: string, strings: ReadonlyArray<string>]> = [
  ['nothing', ['']],
  ['space', [' ', '\n', '\t \r\n']],
  ['words', ['token', 'null', 'undefined', '__proto__', 'Bearer token', '0']],
  ['dots', ['.', '..', '...', '....', '.'.repeat(100_000)]],
  ['parts', ['a.b', 'a.b.c', 'a.b.c.d', 'a.b.c.d.e', 'AAAA.AAAA.AAAA', 'v4.public.AAAA.AAAA']],
  ['JSON', ['{}', '[]', '{"alg":"none"}', 'e30.e30.e30', 'e30.e30.', 'bnVsbA.bnVsbA.bnVsbA']],
  ['NULs', ['\0', '\0.\0.\0', 'v4.public.\0']],
  ['what is no Unicode', ['\ud800', '\udfff.\udfff.\udfff', 'v4.public.\ud800']],
  ['what is beyond ASCII', ['店', '🦊.🦊.🦊', 'ａ.ｂ.ｃ']],
  ['a megabyte', ['A'.repeat(2 ** 20), `${'A'.repeat(2 ** 19)}.${'A'.repeat(2 ** 19)}.AAAA`]],
  ['tokens of others', [JWT, UNSIGNED_JWT, PASETO, PASETO.replace('public', 'local')]],
]
