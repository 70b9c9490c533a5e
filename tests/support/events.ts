import type { LogEntry, Store } from '../../application/ports/store.ts'
import type { EventType } from '../../domain/event.ts'
import { succeed } from './outcome.ts'

/** The log entries of one or several types, oldest first. */
export const eventsOf = async (
  store: Pick<Store, 'readEvents'>,
  ...types: ReadonlyArray<EventType>
): Promise<ReadonlyArray<LogEntry>> => {
  const entries = await succeed(store.readEvents({ after: 0, limit: 10_000 }))
  return entries.filter(({ type }) => types.includes(type))
}
