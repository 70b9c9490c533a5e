import { setTimeout } from 'node:timers/promises'
import { isLeft, isRight, right } from 'fp-ts/lib/Either.js'
import type { TaskEither } from 'fp-ts/lib/TaskEither.js'
import { Gauge, type Registry } from 'prom-client'
import type { Store, StoreUnavailable } from '../../../application/ports/store.ts'

/** Tells at every scrape where the log ends, whoever has written there; as it was before while the store does not say it. */
export const logPosition = (registry: Registry): Readonly<{ of: (store: Store) => void }> => {
  let store: Log | undefined
  let known: number | undefined
  let looking: Promise<void> | undefined

  const look = async (log: Log): Promise<void> => {
    try {
      const head = await headOfLog(log, known ?? 0)()
      if (isRight(head)) known = head.right
    } catch {
      // Whatever a store breaks, the rest is still to be told.
    } finally {
      looking = undefined
    }
  }

  const gauge = new Gauge({
    name: 'portcullis_log_position',
    help: 'The position of the last entry in the event log.',
    registers: [registry],
    collect: async () => {
      if (store !== undefined) {
        looking ??= look(store) // one at a time, however many ask
        await Promise.race([looking, setTimeout(PATIENCE_MS, undefined, { ref: false })])
      }
      if (known !== undefined) gauge.set(known)
    },
  })
  gauge.remove() // 0 would be a position, too

  return {
    of: (measured) => {
      store = measured
    },
  }
}

type Log = Pick<Store, 'readEvents'>

/** A store that takes longer is waited for at the next scrape. */
const PATIENCE_MS = 500

/**
 * The position of the last entry, 0 in an empty log. Positions have no gaps, so it can be found by asking whether there is
 * anything behind this one or that: once where nothing was written, and otherwise about twice as often as the number of new entries
 * has binary digits.
 *
 * @param known a position at which there is an entry, or 0
 */
export const headOfLog =
  (log: Log, known: number): TaskEither<StoreUnavailable, number> =>
  async () => {
    let last = known
    let beyond = Number.MAX_SAFE_INTEGER // there is no entry there
    let step = 1
    while (last + 1 < beyond) {
      // Away from what is known in growing steps, and once one was too far, between the two.
      const position = step > 0 ? Math.min(last + step, beyond - 1) : Math.floor((last + beyond) / 2)
      const behind = await log.readEvents({ after: position - 1, limit: 1 })()
      if (isLeft(behind)) return behind
      if (behind.right.length > 0) last = position
      else beyond = position
      step = behind.right.length > 0 ? 2 * step : 0
    }
    return right(last)
  }
