import { connectionsTo } from '../../adapters/stores/postgres/connections.ts'
import { openDatabase } from '../../adapters/stores/postgres/database.ts'
import { postgresStore } from '../../adapters/stores/postgres/store.ts'
import { changeOf, said } from '../postgres/changes.ts'
import { startPostgresServer } from '../support/postgres-server.ts'

/** Events per second of a log in PostgreSQL: sequential, and concurrent from one, two and four writers. */
export type LogRates = Readonly<{
  oneByOne: number
  oneWriter: number
  twoWriters: number
  fourWriters: number
}>

/** @throws Error if PostgreSQL cannot run */
export const logRates = async (): Promise<LogRates> => {
  const server = await startPostgresServer()
  const { url } = await server.newDatabase()
  await openDatabase({ url, place: 'a database of the bench' })
  const rate = async (writers: number, atOnce: number, rounds: number): Promise<number> => {
    const stores = Array.from({ length: writers }, () => postgresStore(connectionsTo(url, 2)))
    const write = async ({ commit }: (typeof stores)[number], times: number): Promise<void> => {
      for (let round = 0; round < times; round += 1)
        await Promise.all(Array.from({ length: atOnce }, () => commit(changeOf(said()))()))
    }
    await Promise.all(stores.map((store) => write(store, 2))) // opens the connections first
    const before = performance.now()
    await Promise.all(stores.map((store) => write(store, rounds)))
    const seconds = (performance.now() - before) / 1000
    await Promise.all(stores.map(({ close }) => close()))
    return (writers * atOnce * rounds) / seconds
  }
  const rates = {
    oneByOne: await rate(1, 1, 300),
    oneWriter: await rate(1, 64, 40),
    twoWriters: await rate(2, 64, 40),
    fourWriters: await rate(4, 64, 20),
  }
  await server.remove()
  return rates
}
