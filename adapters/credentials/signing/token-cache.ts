import { hash } from 'node:crypto'
import * as E from 'fp-ts/lib/Either.js'
import type { TokenFormat } from '../../../application/ports/token-format.ts'
import { recentlyUsed } from '../../../domain/recently-used.ts'
import type { SigningKey } from '../../../domain/signing-key.ts'

/**
 * Caches the claims of verified tokens, so that a repeated token costs a digest instead of a signature. Only the
 * signature is cached: the caller still checks expiry, session and scope each time.
 *
 * @param options.capacity the most cached tokens; of those that were used last, at least half as many stay
 * @param options.keepsSigned whether tokens that are signed here count as verified. It pays if each is soon used here
 * @param options.onLookUp called for each token, with whether it was cached
 * @param options.prefix the beginning of every token of this format; other texts are not looked up
 */
export const withTokenCache = <Claims, Format extends TokenFormat<Claims>>(
  format: Format & TokenFormat<Claims>,
  {
    capacity = 20_000,
    keepsSigned = false,
    onLookUp = () => {},
    prefix = '',
  }: Readonly<{
    capacity?: number
    keepsSigned?: boolean
    onLookUp?: (isKnown: boolean) => void
    prefix?: string
  }> = {},
): Format => {
  const verified = recentlyUsed<Claims>(capacity)
  let underKeys: ReadonlyArray<SigningKey> = []

  const verify: TokenFormat<Claims>['verify'] = (token, keys) => async () => {
    if (!token.startsWith(prefix)) return format.verify(token, keys)() // the format reports the error
    if (keys !== underKeys) {
      verified.clear() // the keys have changed: tokens of retired keys must not stay valid
      underKeys = keys
    }
    const digest = digestOf(token)
    const known = verified.get(digest)
    onLookUp(known !== undefined)
    if (known !== undefined) return E.right(known)
    const outcome = await format.verify(token, keys)()
    if (E.isRight(outcome) && keys === underKeys) verified.set(digest, outcome.right)
    return outcome
  }

  const sign: TokenFormat<Claims>['sign'] = (claims, key) => async () => {
    const token = await format.sign(claims, key)()
    if (keepsSigned && E.isRight(token) && underKeys.includes(key))
      verified.set(digestOf(token.right), claims)
    return token
  }

  return { ...format, sign, verify }
}

const digestOf = (token: string): string => hash('sha256', token, 'base64url')
