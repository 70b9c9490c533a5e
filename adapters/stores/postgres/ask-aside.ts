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
  try {
    // It reads the certificates that the URL names, and throws without them.
    const client = new pg.Client({
      connectionString: url,
      connectionTimeoutMillis: PATIENCE_MS,
      query_timeout: PATIENCE_MS,
      application_name: 'portcullis looking',
      stream: () => socket,
    })
    client.on('error', () => {})
    await client.connect()
    const answer = await ask((sql, values = []) => client.query(sql, [...values]))
    client.end().catch(() => {})
    socket.destroySoon()
    return answer
  } catch {
    socket.destroy()
    return undefined
  }
}

/** For the connection, and for each answer. */
const PATIENCE_MS = 2_000
