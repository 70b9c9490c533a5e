import type { Database } from './database.ts'

/**
 * Refuses: PostgreSQL has its own back-up tools.
 *
 * @throws Error with one sentence for operators
 */
export const backUpPostgres = ({ place }: Database): never => {
  throw new Error(`The store ${place} is in PostgreSQL. Back it up with pg_dump or WAL archiving.`)
}
