import type { Task } from 'fp-ts/lib/Task.js'

/**
 * Tells that somebody else wrote something into the store. It is a hint, to look earlier than one would have: it may come late,
 * twice or never.
 */
export interface Announcements {
  /** `listener` is called when signing keys may have changed. It returns at once and does not throw. */
  onKeysChanged(listener: () => void): void

  /** From then on nothing is told. A second call does nothing. */
  close: Task<void>
}
