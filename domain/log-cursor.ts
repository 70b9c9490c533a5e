import { type Either, left, right } from 'fp-ts/lib/Either.js'
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

/** The end of an epoch, in the log that continues: the ended epoch, and the number of entries before the renewal. */
export type Renewal = Readonly<{ ended: string; size: number; isByStore: boolean }>

/**
 * A cursor cannot continue in the current epoch. Up to the position `shared` both logs have the same entries, unless the store was
 * written as an undetected copy. It is undefined if the log never had the epoch of the cursor.
 */
export type OtherEpoch = Readonly<{ _tag: 'OtherEpoch'; epoch: string; shared: number | undefined }>

/**
 * Returns the position of a cursor of an earlier epoch in the current log (docs/events-feed.md). It continues if the log still has
 * every entry before the cursor.
 *
 * Only a store knows that. It renews the epoch before it writes on a copy, so `size` is the exact end of the shared part. An
 * operator may renew after writes on an undetected copy. Then other entries may be at these positions.
 *
 * @param log the current epoch, and all renewals in the order of the log
 */
export const positionInLog = (
  { epoch, renewals }: Readonly<{ epoch: string; renewals: ReadonlyArray<Renewal> }>,
  cursor: Readonly<{ epoch: string; position: number }>,
): Either<OtherEpoch, number> => {
  const first = renewals.findIndex(({ ended }) => ended === cursor.epoch)
  const size = renewals[first]?.size
  if (size === undefined) return left({ _tag: 'OtherEpoch', epoch, shared: undefined })
  const isShared = cursor.position <= size && renewals.slice(first).every(({ isByStore }) => isByStore)
  return isShared
    ? right(cursor.position)
    : left({ _tag: 'OtherEpoch', epoch, shared: Math.min(size, cursor.position) })
}
