import * as O from 'fp-ts/lib/Option.js'
import * as declared from 'scrypt-kdf'
import type { PasswordHasher } from '../../../application/ports/password-hasher.ts'
import { parseScryptScheme, scryptSchemeText } from '../records/password-scheme.ts'
import { estimateMs, hashDurations } from './durations.ts'
import { type QueueSettings, timeBoundedQueue } from './queue.ts'
import {
  decoyRecord,
  formatRecord,
  isAffordable,
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
  const enqueue = timeBoundedQueue(queue, estimateMs(cost))
  const durations = hashDurations()

  const timed = async <A>(at: ScryptCost, job: () => Promise<A>): Promise<A> => {
    const startedAt = performance.now()
    const result = await job()
    durations.measured(at, performance.now() - startedAt)
    return result
  }

  const [current = NO_PEPPER] = peppers
  // A record that does not exist, cannot be read or has an unknown pepper fits no password, and costs the same: one that
  // does not exist is read like any other, too.
  const decoy = { kdf: decoyRecord(cost), pepper: current, cost }
  const storedDecoy = formatRecord(decoy.kdf, current)

  const pepperOf = (pepperId: string | undefined) => [...peppers, NO_PEPPER].find(({ id }) => id === pepperId)

  /** The record and the pepper it was made with, when both are known. */
  const read = (stored: string) => {
    const record = parseRecord(stored)
    const pepper = pepperOf(record?.pepperId)
    return record === undefined || pepper === undefined ? undefined : { ...record, pepper }
  }

  return {
    hash: (password, request) =>
      enqueue(
        () =>
          timed(cost, async () => ({
            record: formatRecord(await scrypt.kdf(preHash(password, current), cost), current),
            scheme: scryptSchemeText({ cost, pepperId: current.id }),
          })),
        request,
      ),

    verify: (password, record, request) => {
      const { kdf, pepper, cost: at } = read(O.isSome(record) ? record.value : storedDecoy) ?? decoy
      return enqueue(() => timed(at, () => scrypt.verify(kdf, preHash(password, pepper))), request)
    },

    verifyMs: (scheme) => {
      if (O.isNone(scheme)) return O.some(durations.upperMs(cost))
      const ours = parseScryptScheme(scheme.value)
      return ours !== undefined && isAffordable(ours.cost) && pepperOf(ours.pepperId) !== undefined
        ? O.some(durations.upperMs(ours.cost))
        : O.none
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
