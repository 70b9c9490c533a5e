import { type Either, isLeft, right } from 'fp-ts/lib/Either.js'
import { findEntries } from '../../../application/log/find-entries.ts'
import type { EntryFilter } from '../../../application/ports/read-model.ts'
import type { LogEntry } from '../../../application/ports/store.ts'
import type { ScreenFailure, ScreenParts } from './parts.ts'

/** Returns the newest entries that meet a filter, newest first. */
export const newestEntries = async (
  { log }: Pick<ScreenParts, 'log'>,
  filter: EntryFilter,
  limit: number,
): Promise<Either<ScreenFailure, ReadonlyArray<LogEntry>>> => {
  const search = { filter, after: { epoch: undefined, position: 0 }, isReverse: true, limit }
  const entries: Array<LogEntry> = []
  for await (const page of findEntries(log, search)) {
    if (isLeft(page)) return page
    entries.push(...page.right.entries)
  }
  return right(entries)
}
