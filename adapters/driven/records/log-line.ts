import type { LogLine } from '../../../application/ports/log-lines.ts'
import type { LogColumns } from './log-entry.ts'

/**
 * The line of an entry, from its columns. Signed checkpoints cover these bytes, so this never changes: not the order, not
 * the spelling. `data` is inserted as it is stored.
 */
export const logLine = (columns: LogColumns): LogLine => {
  const {
    position,
    id,
    type,
    version,
    at,
    subject_kind,
    subject_id,
    actor_kind,
    actor_id,
    request_id,
    data,
  } = columns
  const actor = { kind: actor_kind, ...(actor_id === null ? {} : { id: actor_id }) }
  const fields = {
    position: Number(position),
    id,
    type,
    version,
    at,
    subject: { kind: subject_kind, id: subject_id },
    actor,
    ...(request_id === null ? {} : { request_id }),
  }
  const line = `${JSON.stringify(fields).slice(0, -1)},"data":${data}}`
  return { position: fields.position, bytes: Buffer.from(line) }
}
