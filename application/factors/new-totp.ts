import { base32 } from '../../domain/base32.ts'
import type { KeyWrapping } from '../ports/key-wrapping.ts'
import type { NewFactor } from '../recording/facts.ts'
import { wrappedKeyOf } from './wrapped-secret.ts'

/**
 * Returns the record of a new authenticator app, with its secret encrypted for it alone.
 *
 * @param mark the step of a code that was accepted before, 0 if there is none
 */
export const newTotp = (
  { wrapping }: Readonly<{ wrapping: KeyWrapping }>,
  {
    userId,
    id,
    secret,
    mark,
    name,
  }: Readonly<{ userId: string; id: string; secret: Uint8Array; mark: number; name: string }>,
): NewFactor => {
  const material = wrapping.wrap(base32(secret), wrappedKeyOf({ id }))
  return { id, userId, kind: 'totp', name, material, mark, answered: '', counter: 0, flags: '', version: 0 }
}
