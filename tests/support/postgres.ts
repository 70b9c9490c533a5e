import { type PostgresServer, startPostgresServer } from './postgres-server.ts'

/**
 * The PostgreSQL that all tests of one run share, each with a database of its own; it is there as soon as this file is imported,
 * and gone after the last test. Where it cannot be, its tests are left out and that is said; in CI that is a failure.
 */
const started = await startPostgresServer().catch((error: Error) => error)

export const postgres: PostgresServer | undefined = started instanceof Error ? undefined : started

if (started instanceof Error) {
  it(`needs PostgreSQL, which cannot run here: ${started.message}`, function () {
    if (process.env.CI) throw started
    this.skip()
  })
} else after(() => started.remove())
