import { isRight } from 'fp-ts/lib/Either.js'
import type { LineQuery, LogLine } from '../../../application/ports/log-lines.ts'
import { decodeEntryValues, LOG_COLUMNS, type LogColumns } from './log-entry.ts'

/** The lines of rows, with the entries if the query asks for them. A row that is no entry has only its line. */
export const logLines = (
  rows: ReadonlyArray<LogColumns>,
  query: Pick<LineQuery, 'withEntries'>,
): ReadonlyArray<LogLine> =>
  logLinesOfValues(
    rows.map((row) => LOG_COLUMNS.map((name) => row[name])),
    query,
  )

/** The same from values in the order of `LOG_COLUMNS`, which SQLite reads in half the time. */
export const logLinesOfValues = (
  rows: ReadonlyArray<ReadonlyArray<unknown>>,
  { withEntries = false }: Pick<LineQuery, 'withEntries'>,
): ReadonlyArray<LogLine> => (withEntries ? rows.map(lineWithEntry) : rows.map(logLine))

const lineWithEntry = (values: ReadonlyArray<unknown>): LogLine => {
  const line = logLine(values)
  const entry = decodeEntryValues(values)
  return isRight(entry) ? { position: line.position, bytes: line.bytes, entry: entry.right } : line
}

/**
 * The line of an entry, from the values of its columns. Signed checkpoints cover these bytes, so this never changes: not the order, not
 * the spelling. `data` is inserted as it is stored.
 */
const logLine = (values: ReadonlyArray<unknown>): LogLine => {
  const [stored, id, type, version, at, subjectKind, subjectId, actorKind, actorId, requestId, data] = values
  const position = Number(stored)
  const actor = actorId === null ? '' : `,"id":${json(actorId)}`
  const request = requestId === null ? '' : `,"request_id":${json(requestId)}`
  const line = `{"position":${position},"id":${json(id)},"type":${json(type)},"version":${version},"at":${json(at)},"subject":{"kind":${json(subjectKind)},"id":${json(subjectId)}},"actor":{"kind":${json(actorKind)}${actor}}${request},"data":${data}}`
  return { position, bytes: Buffer.from(line) }
}

/** The same as `JSON.stringify`, in half its time: most texts need no escape. */
const json = (text: unknown): string =>
  typeof text === 'string' && UNESCAPED.test(text) ? `"${text}"` : JSON.stringify(text)

/** No quotation mark, backslash, control character or surrogate. */
const UNESCAPED = /^[ !#-[\]-\ud7ff\ue000-\uffff]*$/
