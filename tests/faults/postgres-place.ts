import { expect } from 'chai'
import { processWorkplace, type Serving } from '../support/command.ts'
import { type PostgresServer, startPostgresServer } from '../support/postgres-server.ts'
import { type Ledger, ledger } from './ledger.ts'
import { type Load, load } from './load.ts'
import type { Cast } from './oracle.ts'
import { chance, seedOfThisRun } from './seed.ts'
import { agree, cast, ENVIRONMENT, type Place, verify } from './stage.ts'
import { until } from './until.ts'

/** Processes of the service on a database of a PostgreSQL server that is theirs alone, and what was asked of them. */
export type PostgresPlace = Place &
  Readonly<{
    postgres: PostgresServer
    /** The database. */
    url: string
    everybody: Cast
    book: Ledger
    serve: (environment?: Record<string, string>) => Promise<Serving>
    /** Traffic that may be told to come back, flowing. */
    traffic: (port: number) => Promise<Load>
    /** Whatever was answered is so, whatever was refused is not, and log and rows agree. */
    isAllTrue: (port: number) => Promise<void>
    remove: () => Promise<void>
  }>

/**
 * @param settings of every process there
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
    isAllTrue: async (port) => {
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

/** Resolves when so many changes have been done from now on. */
export const changesAreDone = async ({ replies }: Load, atLeast = 30): Promise<void> => {
  const before = replies.length
  await until(
    'changes are done',
    () =>
      replies.slice(before).filter(({ isChange, status }) => isChange && status === 200).length >= atLeast,
  )
}

/** Resolves when somebody has been told to come back, of those who come from now on. */
export const somebodyIsRefused = async ({ replies }: Load): Promise<void> => {
  const before = replies.length
  await until('somebody is refused', () => replies.slice(before).some(({ status }) => status === 503))
}
