import { type PostgresClient, postgresOn } from './postgres-client.ts'
import { startPostgresServer } from './postgres-server.ts'
import { shared } from './shared.ts'

/**
 * The PostgreSQL of all tests of a run, each with its own databases. A parallel run shares the one of `whole-run.ts`.
 * Otherwise this file starts one and stops it after the last test. Without PostgreSQL its tests are skipped, and fail in CI.
 */
const found = async (): Promise<PostgresClient | Error> => {
  const { postgres: there } = shared() ?? {}
  if (there !== undefined) return 'port' in there ? postgresOn(there.port) : new Error(there.missing)
  try {
    const server = await startPostgresServer()
    after(() => server.remove())
    return server
  } catch (error) {
    return error instanceof Error ? error : new Error(String(error))
  }
}

const client = await found()

export const postgres: PostgresClient | undefined = client instanceof Error ? undefined : client

if (client instanceof Error)
  it(`needs PostgreSQL, which cannot run here: ${client.message}`, function () {
    if (process.env.CI) throw client
    this.skip()
  })
