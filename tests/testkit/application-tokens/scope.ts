import assert from 'node:assert/strict'
import type { ApplicationTokens } from '../../../application/ports/token-format.ts'
import { SCOPES, scopeText } from '../../../domain/application.ts'
import type { ApplicationTokenClaims } from '../../../domain/token.ts'
import { ok } from '../outcome.ts'
import type { Check, Kind } from '../token-format.ts'

/** What an application may do stands in its token as one text. */
export const scopeCases = (
  check: Check<ApplicationTokens>,
  { claims }: Kind<ApplicationTokenClaims>,
): void => {
  check('every scope there is reads back, alone and together with the others', async (tokens, key) => {
    for (const scope of [...SCOPES.map((one) => [one]), SCOPES, []].map(scopeText)) {
      const token = await ok(tokens.sign({ ...claims, scope }, key))
      assert.deepEqual(await ok(tokens.verify(token, [key])), { ...claims, scope })
    }
  })
}
