import { randomUUID } from 'node:crypto'
import { Socket } from 'node:net'
import { setTimeout } from 'node:timers/promises'
import pg from 'pg'
import type { Announcements } from '../../../application/ports/announcements.ts'
import type { Connections } from './connections.ts'
import { reasonOf } from './errors.ts'

/** Notifies the other instances that signing keys were written. Without the notification, they poll. */
export const announceKeys = ({ write }: Connections): void => {
  write(`NOTIFY ${CHANNEL}`).catch(() => {})
}

const CHANNEL = 'portcullis_keys'

/**
 * Announcements over LISTEN, on one dedicated connection. The connection must reach the server directly: PgBouncer in
 * transaction mode delivers no notifications.
 *
 * A lost connection is opened again. Because notifications may have been missed, the listeners are then called once.
 *
 * @param url of the same database; it contains a secret
 * @param options.onStateChange called with a reason when listening fails, and with undefined when it works (again)
 * @param options.pausesMs between failed attempts: the first pause, which doubles up to the longest
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

  /** Listens until the connection is lost. Returns whether there was a connection. */
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
      return false // the instances poll until the next attempt succeeds
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
 * Checks that a NOTIFY on one connection arrives on the other: both lead to the same database, the second one without
 * a pooler.
 *
 * @returns the problem, or undefined
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
      setTimeout(NOTIFICATION_TIMEOUT_MS, 'no notification arrived', { ref: false }),
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

/** Keeps firewalls from dropping the idle connection, and detects a server that is gone. */
const KEEP_ALIVE_MS = 30_000

const PAUSES_MS = { first: 250, longest: 10_000 }
