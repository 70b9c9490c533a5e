import { setTimeout } from 'node:timers/promises'
import { isRight } from 'fp-ts/lib/Either.js'
import { Gauge, type Registry } from 'prom-client'
import type { Store } from '../../../application/ports/store.ts'
import { headOfLog } from '../../../application/recording/head-of-log.ts'

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
