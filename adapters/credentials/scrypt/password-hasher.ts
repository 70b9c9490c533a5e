import * as O from 'fp-ts/lib/Option.js'
import * as declared from 'scrypt-kdf'
import type { PasswordHasher } from '../../../application/ports/password-hasher.ts'
import { parseScryptScheme, scryptSchemeText } from '../../../domain/scrypt-scheme.ts'
import { type HashingQueue, type QueueSettings, timeBoundedQueue } from '../hashing/queue.ts'
import { estimateMs, hashDurations } from './durations.ts'
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
 * Hashes passwords with scrypt. The queue bounds concurrency, to leave a core and a thread to everything else.
 *
 * @param peppers the first is used for new records; without one, they have no pepper. The others, and no pepper, still
 *   verify older records
 */
export const scryptPasswordHasher = (
  cost: ScryptCost,
  queue: QueueSettings,
  peppers: ReadonlyArray<Pepper> = [],
): PasswordHasher => queuedScryptHasher(timeBoundedQueue(queue, estimateMs(cost)), cost, peppers)

/** The same, in a queue that other hashers may share. */
export const queuedScryptHasher = (
  enqueue: HashingQueue,
  cost: ScryptCost,
  peppers: ReadonlyArray<Pepper>,
): PasswordHasher => {
  const durations = hashDurations()

  const timed = async <A>(at: ScryptCost, job: () => Promise<A>): Promise<A> => {
    const startedAt = performance.now()
    const result = await job()
    durations.measured(at, performance.now() - startedAt)
    return result
  }

  const [current = NO_PEPPER] = peppers
  // A missing or unreadable record, or one with an unknown pepper, is verified against a decoy at the same cost. A
  // missing record is also parsed like any other.
  const decoy = { kdf: decoyRecord(cost), pepper: current, cost }
  const storedDecoy = formatRecord(decoy.kdf, current)

  const work = workOf(cost)
  const known = [...peppers, NO_PEPPER]
  const pepperOf = (pepperId: string | undefined) => known.find(({ id }) => id === pepperId)

  /** The parsed record and its pepper, if both are known. */
  const read = (stored: string) => {
    const record = parseRecord(stored)
    const pepper = pepperOf(record?.pepperId)
    return record === undefined || pepper === undefined
      ? undefined
      : { kdf: record.kdf, cost: record.cost, pepper }
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
      return record.pepper === current && workOf(record.cost) >= work ? 'current' : 'outdated'
    },
  }
}

/** The package declares named exports, but has only a default export. */
const scrypt = (declared as unknown as { default: typeof declared }).default
