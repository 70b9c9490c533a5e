import type { Database } from './database.ts'

/**
 * Refuses: PostgreSQL has its own back-up tools.
 *
 * @throws Error with one sentence for operators
 */
export const backUpPostgres = ({ place }: Database): never => {
  throw new Error(`The store ${place} is backed up with PostgreSQL's own means: pg_dump, or its archive.`)
}
