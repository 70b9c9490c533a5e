import { Socket } from 'node:net'
import pg from 'pg'
import type { Query } from './primary.ts'

/**
 * Asks one server on a connection of its own, which is closed afterwards.
 *
 * @param url of one server; it contains a secret
 * @returns what `ask` returns; undefined if the server does not answer, or `ask` fails
 */
export const askAside = async <A>(url: string, ask: (query: Query) => Promise<A>): Promise<A | undefined> => {
  const socket = new Socket()
  const client = new pg.Client({
    connectionString: url,
    connectionTimeoutMillis: PATIENCE_MS,
    query_timeout: PATIENCE_MS,
    application_name: 'portcullis looking',
    stream: () => socket,
  })
  client.on('error', () => {})
  try {
    await client.connect()
    return await ask((sql, values = []) => client.query(sql, [...values]))
  } catch {
    return undefined
  } finally {
    await Promise.race([client.end(), new Promise(setImmediate)]).catch(() => {})
    socket.destroy()
  }
}

/** For the connection, and for each answer. */
const PATIENCE_MS = 2_000
