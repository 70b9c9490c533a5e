import { randomUUID } from 'node:crypto'
import { Socket } from 'node:net'
import { setTimeout } from 'node:timers/promises'
import * as E from 'fp-ts/lib/Either.js'
import pg from 'pg'
import type { Announcements } from '../../../application/ports/announcements.ts'
import { driverUrlsOf } from '../../config/addresses/postgres-hosts.ts'
import type { Connections } from './connections.ts'
import { isReadOnly, reasonOf, Standby } from './errors.ts'

/** Notifies the other instances that signing keys were written. Without the notification, they poll. */
export const announceKeys = ({ write }: Connections): void => {
  write(`NOTIFY ${CHANNEL}`).catch(() => {})
}

const CHANNEL = 'portcullis_keys'

/**
 * Announcements over LISTEN, on one dedicated connection. The connection must reach the server directly: PgBouncer in
 * transaction mode delivers no notifications.
 *
 * Of several hosts, it uses the first one that accepts LISTEN. A standby refuses it. An old primary that still runs
 * accepts it, and delivers nothing: then the instances only poll.
 *
 * A lost connection is opened again. Because notifications may have been missed, the listeners are then called once.
 *
 * @param url of the same database, with one or several hosts; it contains a secret
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
    const listening = await listen(url, CHANNEL, notifyListeners, ending.signal)
    if (E.isLeft(listening)) {
      reportChange(listening.left)
      return false // the instances poll until the next attempt succeeds
    }
    reportChange(undefined)
    notifyListeners()
    await listening.right.lost
    return true
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
 * @param url as for `postgresAnnouncements`
 * @returns the problem, or undefined
 */
export const notificationProblem = async (
  { write }: Connections,
  url: string,
): Promise<string | undefined> => {
  const ending = new AbortController()
  const channel = `portcullis_${randomUUID()}`
  let hear = (): void => {}
  const heard = new Promise<undefined>((resolve) => {
    hear = () => resolve(undefined)
  })
  try {
    const listening = await listen(url, channel, hear, ending.signal)
    if (E.isLeft(listening)) return listening.left
    await write(`NOTIFY "${channel}"`)
    return await Promise.race([
      heard,
      setTimeout(NOTIFICATION_TIMEOUT_MS, 'no notification arrived', { ref: false }),
    ])
  } catch (error) {
    return reasonOf(error)
  } finally {
    ending.abort()
  }
}

/** A connection that listens. */
type Listening = Readonly<{ lost: Promise<void> }>

/** Listens at the first host that accepts it, until the signal. Otherwise it returns the reason of each host. */
const listen = async (
  url: string,
  channel: string,
  onNotification: () => void,
  signal: AbortSignal,
): Promise<E.Either<string, Listening>> => {
  const hosts = driverUrlsOf(url)
  const reasons: Array<string> = []
  for (const each of hosts) {
    if (signal.aborted) break
    const listening = await listenAt(each, channel, onNotification, signal)
    if (E.isRight(listening)) return listening
    reasons.push(hosts.length === 1 ? listening.left : `${new URL(each).host}: ${listening.left}`)
  }
  return E.left(reasons.join(', '))
}

const listenAt = async (
  url: string,
  channel: string,
  onNotification: () => void,
  signal: AbortSignal,
): Promise<E.Either<string, Listening>> => {
  const socket = new Socket()
  const hangUp = () => void socket.destroy()
  signal.addEventListener('abort', hangUp, { once: true })
  socket.once('close', () => signal.removeEventListener('abort', hangUp))
  try {
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
    client.on('notification', onNotification)
    await client.connect()
    await client.query(`LISTEN "${channel}"`)
    return E.right({ lost: lost.finally(hangUp) })
  } catch (error) {
    hangUp()
    return E.left(reasonOf(isReadOnly(error) ? new Standby() : error))
  }
}

const NOTIFICATION_TIMEOUT_MS = 1_000
const CONNECT_TIMEOUT_MS = 2_000
const QUERY_TIMEOUT_MS = 5_000

/** Keeps firewalls from dropping the idle connection, and detects a server that is gone. */
const KEEP_ALIVE_MS = 30_000

const PAUSES_MS = { first: 250, longest: 10_000 }
