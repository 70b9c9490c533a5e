import type { Duplex } from 'node:stream'

/** The bytes that the server holds for clients that do not read: unsent responses, and the requests that wait for them. */
export type StalledConnections = Readonly<{
  /** Sets the bytes held for a connection. It has stalled since the first call. */
  hold(connection: Duplex, bytes: number): void
  /** The response was sent, or the connection closed. */
  release(connection: Duplex): void
}>

/**
 * Bounds these bytes over all connections. Above the bound it destroys the connections that have stalled longest.
 *
 * @param onDrop is called for each destroyed connection
 */
export const stalledConnections = (maxBytes: number, onDrop: () => void): StalledConnections => {
  const held = new Map<Duplex, number>() // in the order in which they stalled
  let total = 0

  const release = (connection: Duplex): void => {
    total -= held.get(connection) ?? 0
    held.delete(connection)
  }

  return {
    hold: (connection, bytes) => {
      if (connection.destroyed) return
      total += bytes - (held.get(connection) ?? 0)
      held.set(connection, bytes)
      for (const [longest] of held) {
        if (total <= maxBytes) return
        release(longest)
        longest.destroy()
        onDrop()
      }
    },
    release,
  }
}
