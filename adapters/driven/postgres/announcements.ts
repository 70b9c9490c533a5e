import { randomUUID } from 'node:crypto'
import { Socket } from 'node:net'
import { setTimeout } from 'node:timers/promises'
import pg from 'pg'
import type { Announcements } from '../../../application/ports/announcements.ts'
import type { Connections } from './connections.ts'
import { reasonOf } from './errors.ts'

/** Tells the other instances that signing keys were written. Whoever does not listenOnce it looks by itself soon enough. */
export const announceKeys = ({ write }: Connections): void => {
  write(`NOTIFY ${CHANNEL}`).catch(() => {})
}

const CHANNEL = 'portcullis_keys'

/**
 * Hears on a connection of its own what other instances notifyListeners. It has to reach the server itself: through PgBouncer in
 * transaction mode nothing would be listening.
 *
 * A connection that is lost is made again, and what may have been missed meanwhile counts as listening.
 *
 * @param url of the same database; it holds a secret
 * @param report is told why it does not listenOnce anything, once until it hears again; that is told too
 * @param pausesMs between attempts that fail: the first, and the one beyond which they grow no longer
 */
export const postgresAnnouncements = (
  url: string,
  {
    onStateChange = () => {},
    pausesMs = PAUSES_MS,
  }: Readonly<{ onStateChange?: (reason: string | undefined) => void; pausesMs?: typeof PAUSES_MS }> = {},
): Announcements => {
  const listeners = new Set<() => void>()
  const ending = new AbortController()
  let isFailing = false
  const reportChange = (reason: string | undefined): void => {
    if ((reason !== undefined) === isFailing || ending.signal.aborted) return
    isFailing = reason !== undefined
    onStateChange(reason)
  }
  const notifyListeners = (): void => {
    for (const listener of listeners) listener()
  }

  const listenUntilClosed = async (): Promise<void> => {
    for (let pause = pausesMs.first; !ending.signal.aborted; pause = Math.min(2 * pause, pausesMs.longest)) {
      if (await listenOnce()) pause = pausesMs.first
      await setTimeout(pause, undefined, { signal: ending.signal, ref: false }).catch(() => {})
    }
  }

  /** For as long as the connection holds. Says whether there was one. */
  const listenOnce = async (): Promise<boolean> => {
    const socket = new Socket()
    const hangUp = () => void socket.destroy()
    const client = new pg.Client({
      connectionString: url,
      connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
      query_timeout: QUERY_TIMEOUT_MS,
      keepAlive: true,
      keepAliveInitialDelayMillis: KEEP_ALIVE_MS,
      application_name: 'portcullis listening',
      stream: () => socket,
    })
    const lost = new Promise<void>((resolve) => {
      client.on('error', () => resolve())
      client.on('end', resolve)
    })
    ending.signal.addEventListener('abort', hangUp, { once: true })
    try {
      await client.connect()
      client.on('notification', notifyListeners)
      await client.query(`LISTEN ${CHANNEL}`)
      reportChange(undefined)
      notifyListeners()
      await lost
      return true
    } catch (error) {
      reportChange(reasonOf(error))
      return false // the next attempt may have more luck, and until then everybody looks by themselves
    } finally {
      ending.signal.removeEventListener('abort', hangUp)
      hangUp()
    }
  }

  const listening = listenUntilClosed()
  return {
    onKeysChanged: (listener) => void listeners.add(listener),
    close: async () => {
      ending.abort()
      await listening
    },
  }
}

/**
 * Whether what is told on one connection is listening on the other: whether both lead to the same database, the second without a
 * pooler in between.
 *
 * @returns why not, or nothing
 */
export const notificationProblem = async (
  { write }: Connections,
  url: string,
): Promise<string | undefined> => {
  const client = new pg.Client({
    connectionString: url,
    connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
    query_timeout: QUERY_TIMEOUT_MS,
  })
  client.on('error', () => {})
  try {
    await client.connect()
    const channel = `portcullis_${randomUUID()}`
    const listening = new Promise<undefined>((resolve) => client.on('notification', () => resolve(undefined)))
    await client.query(`LISTEN "${channel}"`)
    await write(`NOTIFY "${channel}"`)
    return await Promise.race([
      listening,
      setTimeout(NOTIFICATION_TIMEOUT_MS, 'what is told is not heard there', { ref: false }),
    ])
  } catch (error) {
    return reasonOf(error)
  } finally {
    client.end().catch(() => {})
  }
}

const NOTIFICATION_TIMEOUT_MS = 1_000
const CONNECT_TIMEOUT_MS = 2_000
const QUERY_TIMEOUT_MS = 5_000

/** So that whatever stands in between does not forget a connection on which nobody speaks, and a server that is gone is missed. */
const KEEP_ALIVE_MS = 30_000

const PAUSES_MS = { first: 250, longest: 10_000 }
