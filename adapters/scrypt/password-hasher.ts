import * as O from 'fp-ts/lib/Option.js'
import * as declared from 'scrypt-kdf'
import type { PasswordHasher } from '../../application/ports/password-hasher.ts'
import { type QueueSettings, timeBoundedQueue } from './queue.ts'
import {
  decoyRecord,
  formatRecord,
  NO_PEPPER,
  type Pepper,
  parseRecord,
  preHash,
  type ScryptCost,
  workOf,
} from './record.ts'

/**
 * Passwords under scrypt, no more of them at once than leaves a core and a thread to everybody else.
 *
 * @param peppers the first is the one new records are made with (none: without a pepper); the others, and none, are still
 *   good for records that were made with them
 */
export const scryptPasswordHasher = (
  cost: ScryptCost,
  queue: QueueSettings,
  peppers: ReadonlyArray<Pepper> = [],
): PasswordHasher => {
  const enqueue = timeBoundedQueue(queue, guessMs(cost))
  const [current = NO_PEPPER] = peppers
  // A record that does not exist, cannot be read or has an unknown pepper fits no password, and costs the same: one that
  // does not exist is read like any other, too.
  const decoy = { kdf: decoyRecord(cost), pepper: current }
  const storedDecoy = formatRecord(decoy.kdf, current)

  /** The record and the pepper it was made with, when both are known. */
  const read = (stored: string) => {
    const record = parseRecord(stored)
    const pepper = [...peppers, NO_PEPPER].find(({ id }) => id === record?.pepperId)
    return record === undefined || pepper === undefined ? undefined : { ...record, pepper }
  }

  return {
    hash: (password, request) =>
      enqueue(async () => formatRecord(await scrypt.kdf(preHash(password, current), cost), current), request),

    verify: (password, record, request) => {
      const { kdf, pepper } = read(O.isSome(record) ? record.value : storedDecoy) ?? decoy
      return enqueue(() => scrypt.verify(kdf, preHash(password, pepper)), request)
    },

    assess: (stored) => {
      const record = read(stored)
      if (record === undefined) return 'unreadable'
      return record.pepper === current && workOf(record.cost) >= workOf(cost) ? 'current' : 'outdated'
    },
  }
}

/** The package declares named exports, and has a default export only. */
const scrypt = (declared as unknown as { default: typeof declared }).default

/** Until hashes have been measured: about a third of a microsecond for each of the N·r·p blocks. */
const guessMs = (cost: ScryptCost): number => workOf(cost) / 3000
