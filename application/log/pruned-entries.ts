import { type Either, isLeft, right } from 'fp-ts/lib/Either.js'
import { prunableBefore } from '../../domain/retention.ts'
import type { Store, StoreUnavailable } from '../ports/store.ts'
import type { Pruning } from '../recording/events/service-events.ts'
import { eventPages, pages } from '../recording/pages.ts'

type Log = Pick<Store, 'readEvents'>

/** The pruning that counts, of two: the one that goes further. */
export const furtherPruning = (one: Pruning | undefined, other: Pruning | undefined): Pruning | undefined =>
  one === undefined || (other !== undefined && timeOf(other) >= timeOf(one)) ? other : one

export const timeOf = ({ before }: Pruning): number => Date.parse(before)

/**
 * Returns the pruning that counts, or undefined if the log was never pruned.
 *
 * @param known the pruning that counts of the entries up to `after`
 */
export const lastPruning = async (
  store: Log,
  { after, known }: Readonly<{ after: number; known: Pruning | undefined }> = { after: 0, known: undefined },
): Promise<Either<StoreUnavailable, Pruning | undefined>> => {
  let last = known
  for await (const page of eventPages(store, { after, type: 'LogPruned' })) {
    if (isLeft(page)) return page
    for (const entry of page.right) if (entry.type === 'LogPruned') last = furtherPruning(last, entry.data)
  }
  return right(last)
}

/** The entries up to a position: those that are missing, and those that are there and may be pruned. */
export type PrunableEntries = Readonly<{ missing: number; present: number }>

/** Counts the entries that a pruning may remove. Their sum stays the same while they are removed. */
export const countPrunable = async (
  store: Log,
  { beforeMilliseconds, through }: Readonly<{ beforeMilliseconds: number; through: number }>,
): Promise<Either<StoreUnavailable, PrunableEntries>> => {
  const isPrunable = prunableBefore(beforeMilliseconds)
  let [found, present] = [0, 0]
  for await (const page of prunedPages(store, through)) {
    if (isLeft(page)) return page
    found += page.right.length
    present += page.right.filter(isPrunable).length
  }
  return right({ missing: through - found, present })
}

/** The entries up to a position, in pages. */
export const prunedPages = (store: Log, through: number) =>
  pages(
    (after: number, limit: number) => store.readEvents({ after, through, limit }),
    0,
    ({ position }) => position,
  )

/**
 * Returns what is wrong with the entries that are missing below a pruning, or undefined. What a missing entry was is not known. But
 * the pruning tells how many entries it removes, and which ones follows from the log: if another one is missing, the sum is too large.
 */
export const checkPruned = async (
  store: Log,
  pruning: Pruning,
): Promise<Either<StoreUnavailable, string | undefined>> => {
  const { through, entries } = pruning
  const counted = await countPrunable(store, { beforeMilliseconds: timeOf(pruning), through })
  if (isLeft(counted)) return counted
  const { missing, present } = counted.right
  if (missing + present === entries) return right(undefined)
  const last = await lastPruning(store)
  if (isLeft(last)) return last
  // Another pruning went further meanwhile.
  if (last.right !== undefined && timeOf(last.right) > timeOf(pruning)) return checkPruned(store, last.right)
  return right(
    `up to position ${through}, ${missing} entries are missing and ${present} may be pruned, but LogPruned says ${entries} in all: another entry was removed or changed`,
  )
}
