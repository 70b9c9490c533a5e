import { none, type Option, some } from 'fp-ts/lib/Option.js'

/** A place in the log, directly after the entry at `position`. Without an epoch it fits every log. */
export type LogCursor = Readonly<{ epoch: string | undefined; position: number }>

/** Parses `3fa81c02:1234`, or `1234` for a cursor without an epoch. */
export const parseLogCursor = (text: string): Option<LogCursor> => {
  const found = /^(?:([0-9a-f]{8}):)?(\d{1,15})$/.exec(text)
  return found === null ? none : some({ epoch: found[1], position: Number(found[2]) })
}

/** Returns a cursor in the form that `parseLogCursor` reads. */
export const logCursorText = (cursor: Readonly<{ epoch: string; position: number }>): string =>
  `${cursor.epoch}:${cursor.position}`
