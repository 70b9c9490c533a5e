import type { Actor, Event, EventType } from '../../domain/event.ts'

/**
 * The entries of the log in a store.
 *
 * The testkit has no contract for these types. The contract of the store uses them.
 */

/** An event with everything that the log contains about it, except its position. */
export type NewEntry = Event &
  Readonly<{
    /** UUIDv7. */
    id: string
    /** RFC 3339, UTC, milliseconds. */
    at: string
    actor: Actor
    /** Absent without a request. */
    request_id?: string
  }>

/** An entry with its position: 1, 2, 3 … without gaps. */
export type LogEntry = NewEntry & Readonly<{ position: number }>

/** `size` is the number of entries at the end of the epoch. */
export type EndedEpoch = Readonly<{ epoch: string; size: number }>

/** `after` and `through` are positions. Entries need not exist there. A range with `through` below `after` is empty. */
export type EventQuery = Readonly<{ after: number; through?: number; limit: number; type?: EventType }>
