import type { Task } from 'fp-ts/lib/Task.js'
import { Gauge, type Registry } from 'prom-client'
import type { Store } from '../../../application/ports/store.ts'
import { headOfLog } from '../../../application/recording/head-of-log.ts'
import { readAtScrape } from './read-at-scrape.ts'

/** A gauge of the last position in the log, read at each scrape. It keeps its value while the store does not answer. */
export const logPosition = (registry: Registry): Readonly<{ of: (store: Log) => void }> => {
  let position: Task<number | undefined> = async () => undefined

  const gauge = new Gauge({
    name: 'portcullis_log_position',
    help: 'The position of the last entry in the event log.',
    registers: [registry],
    collect: async () => {
      const known = await position()
      if (known !== undefined) gauge.set(known)
    },
  })
  gauge.remove() // prom-client starts at 0, which would be a position

  return {
    of: (store) => {
      position = readAtScrape((known = 0) => headOfLog(store, known))
    },
  }
}

type Log = Pick<Store, 'readEvents'>
