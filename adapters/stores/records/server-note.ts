import { isRight, tryCatch } from 'fp-ts/lib/Either.js'
import * as t from 'io-ts'
import type { ServerNote } from '../../../application/ports/server-notes.ts'
import { Integer } from './columns.ts'

const Row = t.type({
  id: t.string,
  name: t.string,
  started_at: Integer,
  seen_at: Integer,
  settings: t.string,
})
const Texts = t.record(t.string, t.string)

/** The columns of a note. */
export const rowOfNote = ({ id, name, startedAt, seenAt, settings }: ServerNote): t.TypeOf<typeof Row> => ({
  id,
  name,
  started_at: startedAt,
  seen_at: seenAt,
  settings: JSON.stringify(settings),
})

/** The notes in rows. It leaves out unreadable ones: the next start of that server writes a new note. */
export const notesIn = (rows: ReadonlyArray<unknown>): ReadonlyArray<ServerNote> =>
  rows.flatMap((columns) => {
    const row = Row.decode(columns)
    if (!isRight(row)) return []
    const { id, name, started_at, seen_at } = row.right
    const parsed = tryCatch(
      () => JSON.parse(row.right.settings) as unknown,
      () => undefined,
    )
    const settings = isRight(parsed) ? Texts.decode(parsed.right) : parsed
    return isRight(settings)
      ? [{ id, name, startedAt: started_at, seenAt: seen_at, settings: settings.right }]
      : []
  })
