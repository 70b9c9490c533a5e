import { isRight } from 'fp-ts/lib/Either.js'
import type { Factor } from '../../domain/factor.ts'
import type { KeyWrapping, WrappedKey } from '../ports/key-wrapping.ts'

/** Returns what the secret of an authenticator app is wrapped for. */
export const wrappedKeyOf = ({ id }: Pick<Factor, 'id'>): WrappedKey => ({ kid: id, purpose: 'totp' })

/** Returns an app with its outdated secret wrapped again. It returns the same object if nothing changes, or the secret is unreadable. */
export const withCurrentWrapping = (wrapping: KeyWrapping, factor: Factor): Factor => {
  const key = wrappedKeyOf(factor)
  if (wrapping.assess(factor.material, key) !== 'outdated') return factor
  const secret = wrapping.unwrap(factor.material, key)
  return isRight(secret) ? { ...factor, material: wrapping.wrap(secret.right, key) } : factor
}
