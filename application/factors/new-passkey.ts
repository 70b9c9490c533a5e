import type { Factor } from '../../domain/factor.ts'
import {
  type PasskeyCredential,
  type PasskeyFlags,
  passkeyFlags,
  passkeyId,
  passkeyMaterial,
  passkeySubject,
} from '../../domain/passkey.ts'
import type { Digests } from '../ports/environment.ts'
import type { NewFactor } from '../recording/facts.ts'

/** A passkey to enrol. */
export type Enrolling = PasskeyCredential & PasskeyFlags & Readonly<{ counter: number }>

/** Returns the id of the factor of a passkey. */
export const passkeyIdOf = (
  { digests }: Readonly<{ digests: Digests }>,
  { credentialId }: Pick<PasskeyCredential, 'credentialId'>,
): string => passkeyId(digests.sha256(passkeySubject(credentialId)))

/**
 * Returns the record of a new passkey, without its name.
 *
 * @param former the removed factor of the same passkey, if there is one
 */
export const newPasskey = (
  dependencies: Readonly<{ digests: Digests }>,
  { userId, passkey, former }: Readonly<{ userId: string; passkey: Enrolling; former: Factor | undefined }>,
): Omit<NewFactor, 'name'> => ({
  id: passkeyIdOf(dependencies, passkey),
  userId,
  kind: 'passkey',
  material: passkeyMaterial(passkey),
  // Challenges that were answered before a removal stay answered.
  mark: former?.mark ?? 0,
  answered: former?.answered ?? '',
  counter: passkey.counter,
  flags: passkeyFlags(passkey),
  version: former?.version ?? 0,
})
