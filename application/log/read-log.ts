import { type Either, isLeft, left, right } from 'fp-ts/lib/Either.js'
import type { EventType } from '../../domain/event.ts'
import type { LogCursor, OtherEpoch } from '../../domain/log-cursor.ts'
import type { LogEntry, Store, StoreUnavailable } from '../ports/store.ts'
import { eventPages } from '../recording/pages.ts'
import { ATTEMPTS, EPOCH_CHANGES, findPosition, inOneEpoch, readLogState } from './epochs.ts'

/** Entries of one epoch. To continue, read after a cursor with this epoch and the position `last`. */
export type LogPage = Readonly<{ epoch: string; entries: ReadonlyArray<LogEntry>; last: number }>

/** The cursor's epoch is current, but its entry is missing. The store is a copy, and has not renewed its epoch. */
export type BeyondEnd = Readonly<{ _tag: 'BeyondEnd' }>

/**
 * Yields the log after a cursor in pages: at least one page, which may be empty. It stops after a failure. If the epoch changes
 * between two pages, it continues as after the cursor behind the first one.
 */
export async function* readLog(
  store: Pick<Store, 'readEpoch' | 'readEvents'>,
  { after, type }: Readonly<{ after: LogCursor; type?: EventType }>,
): AsyncGenerator<Either<OtherEpoch | BeyondEnd | StoreUnavailable, LogPage>, void> {
  const find = findPosition(store)
  const readState = readLogState(store)
  let cursor = after
  for (let attempt = 1; attempt <= ATTEMPTS; attempt += 1) {
    const began = await inOneEpoch(readState, ({ epoch }) => find(cursor, epoch))
    if (isLeft(began)) return yield began
    const { epoch } = began.right.after
    let last = began.right.found
    let isRenewed = false
    for await (const page of eventPages(store, { after: last, ...(type === undefined ? {} : { type }) })) {
      if (isLeft(page)) return yield page
      const isEmpty = page.right.length === 0 && last > 0 && after.epoch !== undefined
      const atCursor = isEmpty ? await store.readEvents({ after: last - 1, limit: 1 })() : page
      if (isLeft(atCursor)) return yield atCursor
      const now = await readState()
      if (isLeft(now)) return yield now
      // The epoch was the same before and after the reads, so the entries belong to it.
      isRenewed = now.right.epoch !== epoch
      if (isRenewed) break
      if (isEmpty && atCursor.right.length === 0) return yield left({ _tag: 'BeyondEnd' })
      last = page.right.at(-1)?.position ?? last
      cursor = { epoch, position: last }
      yield right({ epoch, entries: page.right, last })
    }
    if (!isRenewed) return
  }
  yield left(EPOCH_CHANGES)
}
