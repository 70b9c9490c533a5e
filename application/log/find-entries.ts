import { type Either, isLeft, left, right } from 'fp-ts/lib/Either.js'
import type { LogCursor, OtherEpoch } from '../../domain/log-cursor.ts'
import type { EntryFilter } from '../ports/read-model.ts'
import type { LogEntry, Store, StoreUnavailable } from '../ports/store.ts'
import { type CatchUpFailure, CONTENDED, catchUp, type ModelledLog, reaches } from './catch-up.ts'
import { matchesFilter } from './entry-facts.ts'
import { ATTEMPTS, EPOCH_CHANGES, findPosition } from './epochs.ts'
import type { BeyondEnd, LogPage } from './read-log.ts'

/** Which entries of the log, and in which order: oldest first, or newest first. */
export type Search = Readonly<{
  filter: EntryFilter
  after: LogCursor
  /** All by default. */
  limit?: number | undefined
  isReverse?: boolean
  /** For a reversed search: only entries below this position, which is one of the epoch of `after`. */
  below?: number | undefined
}>

/**
 * Yields the entries that meet a filter in pages: at least one page, which may be empty. To continue a search that is not reversed, read
 * after `last` of the last page. It stops after a failure.
 *
 * The read model says where the entries are. Each is read from the log and shown only if it meets the filter there, so the model can
 * show nothing wrong. Entries that are pruned meanwhile are left out.
 */
export async function* findEntries(
  log: ModelledLog,
  { filter, after, limit = Number.POSITIVE_INFINITY, isReverse = false, below }: Search,
  onProgress?: (position: number) => void,
): AsyncGenerator<Either<OtherEpoch | BeyondEnd | CatchUpFailure, LogPage>, void> {
  const find = findPosition(log.store)
  let cursor = after
  let missing = limit
  const first = below ?? Number.MAX_SAFE_INTEGER
  let before = first // for a reversed search: what is newer was shown
  for (let attempt = 1; attempt <= ATTEMPTS; attempt += 1) {
    const caught = await catchUp(log, onProgress)()
    if (isLeft(caught)) return yield caught
    const { epoch, position: end } = caught.right
    const began = await find(cursor, epoch)
    if (isLeft(began)) return yield began
    // After a restored back-up, the positions below may name other entries than those that were shown above.
    const bound = below === undefined ? began : await find({ epoch: after.epoch, position: below - 1 }, epoch)
    if (isLeft(bound)) return yield bound
    if (cursor.epoch !== undefined && began.right > end) return yield left({ _tag: 'BeyondEnd' })
    let range = { after: began.right, through: Math.min(end, before - 1) }
    for (;;) {
      const atOnce = Math.min(missing, AT_ONCE)
      const found = await log.model.find({ filter, ...range, limit: atOnce, isReverse })()
      if (isLeft(found)) return yield found
      if (!reaches(found.right.state, caught.right)) break
      const { positions } = found.right
      const read = await readAt(log.store, positions)
      if (isLeft(read)) return yield read
      const now = await log.store.readEpoch()()
      if (isLeft(now)) return yield now
      if (now.right !== epoch) {
        if (isReverse && before < first) return yield left(EPOCH_CHANGES)
        break
      }
      const entries = read.right.filter(matchesFilter(filter))
      if (isReverse) entries.reverse()
      missing -= entries.length
      const edge = positions.at(-1)
      const isLast = missing === 0 || positions.length < atOnce || edge === undefined
      yield right({
        epoch,
        entries,
        last: isLast && missing > 0 ? Math.max(end, began.right) : (edge ?? end),
      })
      if (isLast) return
      range = isReverse ? { ...range, through: edge - 1 } : { ...range, after: edge }
      if (isReverse) before = edge
      else cursor = { epoch, position: edge }
    }
  }
  yield left(CONTENDED)
}

const AT_ONCE = 1_000

/** Returns the entries at these positions, ascending. Missing ones are left out. */
const readAt = async (
  store: Pick<Store, 'readEvents'>,
  positions: ReadonlyArray<number>,
): Promise<Either<StoreUnavailable, Array<LogEntry>>> => {
  const wanted = new Set(positions)
  const ranges = rangesOf([...positions].sort((one, other) => one - other))
  const entries: Array<LogEntry> = []
  for (let begin = 0; begin < ranges.length; begin += READS_AT_ONCE) {
    const reads = ranges
      .slice(begin, begin + READS_AT_ONCE)
      .map(([first, last]) =>
        store.readEvents({ after: first - 1, through: last, limit: last - first + 1 })(),
      )
    for (const read of await Promise.all(reads)) {
      if (isLeft(read)) return read
      entries.push(...read.right.filter(({ position }) => wanted.has(position)))
    }
  }
  return right(entries)
}

const READS_AT_ONCE = 10

/** Positions that are close together form one range: a read of some entries too many is cheaper than another read. */
const rangesOf = (
  ascending: ReadonlyArray<number>,
): ReadonlyArray<readonly [first: number, last: number]> => {
  const ranges: Array<[number, number]> = []
  for (const position of ascending) {
    const range = ranges.at(-1)
    if (range !== undefined && position - range[1] <= NEAR && position - range[0] < AT_ONCE)
      range[1] = position
    else ranges.push([position, position])
  }
  return ranges
}

const NEAR = 16
