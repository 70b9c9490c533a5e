import { type Either, isLeft, right } from 'fp-ts/lib/Either.js'
import { hasPosition, type Runs, runsOf, union, without } from '../../domain/position-runs.ts'
import { prunableBefore } from '../../domain/retention.ts'
import type { Store, StoreUnavailable } from '../ports/store.ts'
import { pages } from '../recording/pages.ts'
import type { DamagedLog } from './append-entries.ts'
import { type ProofDependencies, provedPositions, prunedPages, readPrunings } from './pruned-entries.ts'

type Dependencies = ProofDependencies & Readonly<{ store: Pick<Store, 'readEvents'> }>

/** What a pruning does. */
export type PlannedPruning = Readonly<{
  before: string
  /** The last position that is pruned, now or earlier. */
  through: number
  /** The entries to delete. */
  present: Runs
  /** The positions that some key has not signed: those of entries to delete, and those that only a former key proves. */
  unproved: Runs
  /** The positions that are proved already. */
  proved: Runs
}>

/** What is to do, or undefined if nothing was pruned and nothing is to prune. What was proved and is there still goes, too. */
export const planPruning = async (
  dependencies: Dependencies,
  beforeMilliseconds: number,
): Promise<Either<StoreUnavailable | DamagedLog, PlannedPruning | undefined>> => {
  const { store } = dependencies
  const prunings = await readPrunings(store)
  if (isLeft(prunings)) return prunings
  const proved = await provedPositions(dependencies, prunings.right)
  if (isLeft(proved)) return proved
  const { byAny, byEvery } = proved.right
  const last = byAny.at(-1)?.[1] ?? 0
  const found = await lastOlder(store, beforeMilliseconds)
  if (isLeft(found)) return found
  const through = Math.max(found.right, last)
  const present = await presentEntries(store, {
    beforeMilliseconds,
    older: found.right,
    proved: byAny,
    through,
  })
  if (isLeft(present)) return present
  if (present.right.length === 0 && prunings.right.length === 0) return right(undefined)
  return right({
    before: new Date(beforeMilliseconds).toISOString(),
    through,
    present: present.right,
    unproved: without(union([byAny, present.right]), byEvery),
    proved: byAny,
  })
}

/** The last position before the first entry that is not older. The last entry of the log always stays. */
const lastOlder = async (
  store: Pick<Store, 'readEvents'>,
  beforeMilliseconds: number,
): Promise<Either<StoreUnavailable, number>> => {
  let last = 0
  const read = (after: number, limit: number) => store.readEvents({ after, limit })
  for await (const page of pages(read, 0, ({ position }) => position)) {
    if (isLeft(page)) return page
    for (const { at, position } of page.right) {
      if (!(Date.parse(at) < beforeMilliseconds)) return right(position - 1)
      last = position
    }
  }
  return right(Math.max(0, last - 1))
}

/** The entries in the store that may be pruned, or are proved to be. */
const presentEntries = async (
  store: Pick<Store, 'readEvents'>,
  {
    beforeMilliseconds,
    older,
    proved,
    through,
  }: Readonly<{ beforeMilliseconds: number; older: number; proved: Runs; through: number }>,
): Promise<Either<StoreUnavailable, Runs>> => {
  const isPrunable = prunableBefore(beforeMilliseconds)
  const found: Array<Runs> = []
  for await (const page of prunedPages(store, through)) {
    if (isLeft(page)) return page
    const positions = page.right
      .filter(
        (entry) => (isPrunable(entry) && entry.position <= older) || hasPosition(proved, entry.position),
      )
      .map(({ position }) => position)
    found.push(runsOf(positions))
  }
  return right(union(found))
}
