import type { LogEntry } from '../ports/store.ts'

/** An entry as JSON shows it, with its members in their published order (docs/events.md). */
export const entryJson = ({
  position,
  id,
  type,
  version,
  at,
  subject,
  actor,
  request_id,
  data,
}: LogEntry): object => ({ position, id, type, version, at, subject, actor, request_id, data })
