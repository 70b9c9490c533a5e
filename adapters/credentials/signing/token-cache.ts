import { hash } from 'node:crypto'
import * as E from 'fp-ts/lib/Either.js'
import type { TokenFormat } from '../../../application/ports/token-format.ts'
import type { SigningKey } from '../../../domain/signing-key.ts'

/**
 * Caches the claims of verified tokens, so that a repeated token costs a digest instead of a signature. Only the
 * signature is cached: the caller still checks expiry, session and scope each time.
 *
 * @param options.capacity the number of cached tokens; the oldest are dropped
 * @param options.onLookUp called for each token, with whether it was cached
 * @param options.prefix the beginning of every token of this format; other texts are not looked up
 */
export const withTokenCache = <Claims, Format extends TokenFormat<Claims>>(
  format: Format & TokenFormat<Claims>,
  {
    capacity = 10_000,
    onLookUp = () => {},
    prefix = '',
  }: Readonly<{ capacity?: number; onLookUp?: (isKnown: boolean) => void; prefix?: string }> = {},
): Format => {
  const verified = new Map<string, Claims>()
  // The digests in a ring, the oldest at `next` once it is full. To find the first key of a Map is slow after many deletions.
  const ring: Array<string> = []
  let next = 0
  let underKeys: ReadonlyArray<SigningKey> = []

  const verify: TokenFormat<Claims>['verify'] = (token, keys) => async () => {
    if (!token.startsWith(prefix)) return format.verify(token, keys)() // the format reports the error
    if (keys !== underKeys) {
      verified.clear() // the keys have changed: tokens of retired keys must not stay valid
      ring.length = 0
      next = 0
      underKeys = keys
    }
    const digest = hash('sha256', token, 'base64url')
    const known = verified.get(digest)
    onLookUp(known !== undefined)
    if (known !== undefined) return E.right(known)
    const outcome = await format.verify(token, keys)()
    if (E.isRight(outcome) && keys === underKeys) remember(digest, outcome.right)
    return outcome
  }

  const remember = (digest: string, claims: Claims): void => {
    if (!verified.has(digest)) {
      const oldest = ring[next]
      if (oldest !== undefined) verified.delete(oldest)
      ring[next] = digest
      next = (next + 1) % capacity
    }
    verified.set(digest, claims)
  }

  return { ...format, verify }
}
