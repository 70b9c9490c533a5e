import type { Duplex } from 'node:stream'

/** What the service keeps for clients that do not read: answers that were not sent, and requests that wait behind them. */
export type Owed = Readonly<{
  /** So many bytes are kept for a connection now. It counts as stalled since they were first set. */
  set(connection: Duplex, bytes: number): void
  /** An answer was sent, or the connection is closed. */
  settle(connection: Duplex): void
}>

/**
 * Bounds it over all connections together. Beyond the bound the connections that have stalled longest are destroyed.
 *
 * @param dropped is told of each of them
 */
export const owedUpTo = (maxBytes: number, dropped: () => void): Owed => {
  const owed = new Map<Duplex, number>() // in the order in which they stalled
  let total = 0

  const settle = (connection: Duplex): void => {
    total -= owed.get(connection) ?? 0
    owed.delete(connection)
  }

  return {
    set: (connection, bytes) => {
      if (connection.destroyed) return
      total += bytes - (owed.get(connection) ?? 0)
      owed.set(connection, bytes)
      for (const [longest] of owed) {
        if (total <= maxBytes) return
        settle(longest)
        longest.destroy()
        dropped()
      }
    },
    settle,
  }
}
