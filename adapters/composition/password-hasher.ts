import type { PasswordHasher } from '../../application/ports/password-hasher.ts'
import type { Settings } from '../config/settings.ts'
import { withForeignPasswords } from '../driven/foreign-passwords/password-hasher.ts'
import { timeBoundedQueue } from '../driven/hashing/queue.ts'
import { estimateMs } from '../driven/scrypt/durations.ts'
import { queuedScryptHasher } from '../driven/scrypt/password-hasher.ts'

/** The hasher of the service: scrypt for new records, and the algorithms of imported ones. */
export const standardPasswordHasher = ({
  scrypt,
  hashing,
  peppers,
}: Pick<Settings, 'scrypt' | 'hashing' | 'peppers'>): PasswordHasher => {
  const queue = timeBoundedQueue(hashing, estimateMs(scrypt))
  return withForeignPasswords(queuedScryptHasher(queue, scrypt, peppers), queue)
}
