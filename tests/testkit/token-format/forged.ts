import type { TokenFormat } from '../../../application/ports/token-format.ts'
import type { SigningKey } from '../../../domain/signing-key.ts'
import { ok, refused } from '../outcome.ts'
import type { AnyClaims, Check, Kind } from '../token-format.ts'
import { INVALID } from './keys.ts'

/** What a forged token does, and how to make such tokens of a genuine one. */
export type Forgery<Format> = readonly [
  what: string,
  forge: (token: string, tokens: Format, key: SigningKey) => Promise<ReadonlyArray<string>>,
]

/** The algorithm, the version and the key are never taken from a token (RFC 8725 §3.1). */
export const forgedCases = <Claims extends AnyClaims, Format extends TokenFormat<Claims>>(
  check: Check<Format>,
  { claims }: Kind<Claims>,
  forgeries: ReadonlyArray<Forgery<Format>>,
): void => {
  for (const [what, forge] of forgeries) {
    check(`a token is invalid that ${what}`, async (tokens, key) => {
      const token = await ok(tokens.sign(claims, key))
      await ok(tokens.verify(token, [key]))
      for (const forged of await forge(token, tokens, key))
        await refused(tokens.verify(forged, [key]), INVALID, forged)
    })
  }
}
