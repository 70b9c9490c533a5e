import { none, type Option, some } from 'fp-ts/lib/Option.js'

/** A place in the log: behind the entry at `position`, in the log with this epoch, or in any. */
export type LogCursor = Readonly<{ epoch: string | undefined; position: number }>

/** `3fa81c02:1234`, or `1234` where the epoch is not to be checked. */
export const parseLogCursor = (text: string): Option<LogCursor> => {
  const found = /^(?:([0-9a-f]{8}):)?(\d{1,15})$/.exec(text)
  return found === null ? none : some({ epoch: found[1], position: Number(found[2]) })
}

export const logCursorText = (cursor: Readonly<{ epoch: string; position: number }>): string =>
  `${cursor.epoch}:${cursor.position}`
