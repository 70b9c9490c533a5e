import type { LogLine } from '../../../application/ports/log-lines.ts'
import { LOG_COLUMNS, type LogColumns } from './log-entry.ts'

/**
 * The line of an entry, from its columns. Signed checkpoints cover these bytes, so this never changes: not the order, not
 * the spelling. `data` is inserted as it is stored.
 */
export const logLine = (columns: LogColumns): LogLine =>
  logLineOfValues(LOG_COLUMNS.map((name) => columns[name]))

/** The same from values in the order of `LOG_COLUMNS`, which SQLite reads in half the time. */
export const logLineOfValues = (values: ReadonlyArray<unknown>): LogLine => {
  const [stored, id, type, version, at, subjectKind, subjectId, actorKind, actorId, requestId, data] = values
  const position = Number(stored)
  const subject = { kind: subjectKind, id: subjectId }
  const actor = actorId === null ? { kind: actorKind } : { kind: actorKind, id: actorId }
  const fields =
    requestId === null
      ? { position, id, type, version, at, subject, actor }
      : { position, id, type, version, at, subject, actor, request_id: requestId }
  return { position, bytes: Buffer.from(`${JSON.stringify(fields).slice(0, -1)},"data":${data}}`) }
}
