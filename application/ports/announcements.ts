import type { Task } from 'fp-ts/lib/Task.js'

/**
 * Announces that another process wrote to the store, so that this one reads earlier. An announcement is only a hint: it may come
 * late, twice or never.
 */
export interface Announcements {
  /** Calls `listener` when signing keys may have changed. The listener returns at once and does not throw. */
  onKeysChanged(listener: () => void): void

  /** Stops all announcements. A second call does nothing. */
  close: Task<void>
}
