import { expect } from 'chai'
import { processWorkplace, type Serving } from '../support/command.ts'
import { type PostgresServer, startPostgresServer } from '../support/postgres-server.ts'
import { type Ledger, ledger } from './ledger.ts'
import { type Load, load } from './load.ts'
import type { Cast } from './oracle.ts'
import { chance, seedOfThisRun } from './seed.ts'
import { agree, cast, ENVIRONMENT, type Place, verify } from './stage.ts'
import { until } from './until.ts'

/** Processes of the service on a separate PostgreSQL server, and the record of their requests. */
export type PostgresPlace = Place &
  Readonly<{
    postgres: PostgresServer
    /** The database. */
    url: string
    everybody: Cast
    book: Ledger
    serve: (environment?: Record<string, string>) => Promise<Serving>
    /** Running traffic that may be refused with 503. */
    traffic: (port: number) => Promise<Load>
    /** Checks that acknowledged changes exist, refused ones do not, and log and rows agree. */
    verifyAll: (port: number) => Promise<void>
    remove: () => Promise<void>
  }>

/**
 * @param settings for every process
 * @param flags for the server
 */
export const postgresPlace = async (
  settings: Record<string, string> = {},
  ...flags: ReadonlyArray<string>
): Promise<PostgresPlace> => {
  const postgres = await startPostgresServer(...flags)
  const { url } = await postgres.newDatabase()
  const place = processWorkplace()
  const common = { DATABASE_URL: url, ...settings }
  const portcullis: Place['portcullis'] = (words, options = {}) =>
    place.portcullis(words, { ...options, environment: { ...common, ...options.environment } })
  const book = ledger()
  const everybody = await cast({ portcullis }, book, 3)
  const seed = seedOfThisRun()
  const dice = chance(seed)
  return {
    postgres,
    url,
    portcullis,
    book,
    everybody,
    serve: (environment = {}) =>
      place.serve('serve', { ...ENVIRONMENT, LOG_LEVEL: 'silent', ...common, ...environment }),
    traffic: async (port) => {
      const made = load(port, everybody, book, dice, 'everything')
      await made.flowing
      return made
    },
    verifyAll: async (port) => {
      await verify({ portcullis }, port, everybody, book)
      expect(book.problems, `FAULT_SEED=${seed}`).to.deep.equal([])
      await agree({ portcullis })
    },
    remove: async () => {
      place.remove()
      await postgres.remove()
    },
  }
}

/** Resolves when this many changes have succeeded from now on. */
export const changesSucceed = async ({ replies }: Load, atLeast = 30): Promise<void> => {
  const before = replies.length
  await until(
    'changes succeed',
    () =>
      replies.slice(before).filter(({ isChange, status }) => isChange && status === 200).length >= atLeast,
  )
}

/** Resolves when a request from now on was refused with 503. */
export const requestIsRefused = async ({ replies }: Load): Promise<void> => {
  const before = replies.length
  await until('a request is refused', () => replies.slice(before).some(({ status }) => status === 503))
}
