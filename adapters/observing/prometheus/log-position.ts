import { setTimeout } from 'node:timers/promises'
import { isLeft, isRight, right } from 'fp-ts/lib/Either.js'
import type { TaskEither } from 'fp-ts/lib/TaskEither.js'
import { Gauge, type Registry } from 'prom-client'
import type { Store, StoreUnavailable } from '../../../application/ports/store.ts'

/** A gauge of the last position in the log, read at each scrape. It keeps its value while the store does not answer. */
export const logPosition = (registry: Registry): Readonly<{ of: (store: Log) => void }> => {
  let store: Log | undefined
  let known: number | undefined
  let looking: Promise<void> | undefined

  const look = async (log: Log): Promise<void> => {
    try {
      const head = await headOfLog(log, known ?? 0)()
      if (isRight(head)) known = head.right
    } catch {
      // A store that throws must not break the scrape.
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
        looking ??= look(store) // concurrent scrapes share one search
        await Promise.race([looking, setTimeout(TIMEOUT_MS, undefined, { ref: false })])
      }
      if (known !== undefined) gauge.set(known)
    },
  })
  gauge.remove() // prom-client starts at 0, which would be a position

  return {
    of: (measured) => {
      store = measured
    },
  }
}

type Log = Pick<Store, 'readEvents'>

/** A slower store is read for the next scrape. */
const TIMEOUT_MS = 500

/**
 * The position of the last entry; 0 in an empty log. Positions have no gaps, so an exponential search finds it: one read if the log
 * has not grown, otherwise about 2·log2(new entries).
 *
 * @param known a position with an entry, or 0
 */
export const headOfLog =
  (log: Log, known: number): TaskEither<StoreUnavailable, number> =>
  async () => {
    let last = known
    let beyond = Number.MAX_SAFE_INTEGER // a position without an entry
    let step = 1
    while (last + 1 < beyond) {
      // Double the step until it is too far, then bisect.
      const position = step > 0 ? Math.min(last + step, beyond - 1) : Math.floor((last + beyond) / 2)
      const behind = await log.readEvents({ after: position - 1, limit: 1 })()
      if (isLeft(behind)) return behind
      if (behind.right.length > 0) last = position
      else beyond = position
      step = behind.right.length > 0 ? 2 * step : 0
    }
    return right(last)
  }
