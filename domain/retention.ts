import { EVENTS, type Event, type EventType } from './event.ts'
import type { Deciding, Effect } from './event-row.ts'

/** The types of which entries may be pruned. The triggers of the stores list the same. */
export const PRUNABLE_TYPES: ReadonlyArray<EventType> = (Object.keys(EVENTS) as Array<EventType>).filter(
  (type) => EVENTS[type].effect !== 'lasting',
)

/** Whether the entry of an event may be pruned. */
export type Prunable = (event: Event) => boolean

/**
 * Returns which entries of a log had no effect any more at a time, so that all rows follow from the others. It follows from the log
 * alone, so everyone can repeat it.
 *
 * Ask it for each entry in the order of the log, from the first one. Pruned entries may be left out: a session without a sign-in has
 * expired.
 */
export const prunableBefore = (milliseconds: number): Prunable => {
  const lastingSessions = new Set<string>()
  const isBefore = (time: string): boolean => Date.parse(time) < milliseconds

  const isOver: { readonly [One in Effect]: (data: Deciding[One]) => boolean } = {
    lasting: () => false,
    'until expiry': ({ expires_at }) => isBefore(expires_at),
    'opens session': (data) => {
      if (isBefore(data.ends_at)) return true
      lastingSessions.add(data.session_id)
      return false
    },
    session: ({ session_id }) => !lastingSessions.has(session_id),
    none: () => true,
  }

  // A foreign store may return types that this version does not know. EVENTS says which fields the data has.
  return ({ type, data }) =>
    Object.hasOwn(EVENTS, type) && isOver[EVENTS[type].effect](data as Deciding['opens session'])
}
