import { hash } from 'node:crypto'
import * as E from 'fp-ts/lib/Either.js'
import type { TokenFormat } from '../../../application/ports/token-format.ts'
import type { SigningKey } from '../../../domain/signing-key.ts'

/**
 * Remembers which tokens verified, so that a token that comes with every request costs one digest instead of one
 * signature each time. What the token may do now is judged anew each time: only that it was signed is remembered.
 *
 * @param options.capacity how many tokens are remembered; the oldest go first
 * @param options.lookedUp hears of each token whether it was remembered
 * @param options.beginning what every token of this format begins with: no other string is looked up
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
  let underKeys: ReadonlyArray<SigningKey> = []

  const verify: TokenFormat<Claims>['verify'] = (token, keys) => async () => {
    if (!token.startsWith(prefix)) return format.verify(token, keys)() // which knows best what it is not
    if (keys !== underKeys) {
      verified.clear() // another set of keys: what a retired key signed is good no more
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
    const [oldest] = verified.size < capacity || verified.has(digest) ? [] : verified.keys()
    if (oldest !== undefined) verified.delete(oldest)
    verified.set(digest, claims)
  }

  return { ...format, verify }
}
