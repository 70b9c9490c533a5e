import { type Either, isLeft, right } from 'fp-ts/lib/Either.js'
import { type Runs, runsOf, union, without } from '../../domain/position-runs.ts'
import { prunableBefore } from '../../domain/retention.ts'
import type { Store, StoreUnavailable } from '../ports/store.ts'
import { pages } from '../recording/pages.ts'
import type { DamagedLog } from './append-entries.ts'
import {
  type ProofDependencies,
  type ProvedBySome,
  provedPositions,
  prunedPages,
  readPrunings,
} from './pruned-entries.ts'

type Dependencies = ProofDependencies & Readonly<{ store: Pick<Store, 'readEvents'> }>

/** What a pruning does. */
export type PlannedPruning = Readonly<{
  before: string
  /** The last position that is pruned, now or earlier. */
  through: number
  /** The entries to delete: only those that may be pruned now. What a proof says makes no entry prunable. */
  present: Runs
  /** The positions of entries to delete that some key has not signed. */
  unproved: Runs
  /** Missing positions that some key has not signed. A holder of a former key may have signed them, so an operator decides. */
  provedBySome: ReadonlyArray<ProvedBySome>
  /** The positions that are proved already, and missing or about to be. */
  proved: Runs
}>

/** What is to do, or undefined if nothing was pruned and nothing is to prune. */
export const planPruning = async (
  dependencies: Dependencies,
  beforeMilliseconds: number,
): Promise<Either<StoreUnavailable | DamagedLog, PlannedPruning | undefined>> => {
  const { store } = dependencies
  const prunings = await readPrunings(store)
  if (isLeft(prunings)) return prunings
  const proved = await provedPositions(dependencies, prunings.right)
  if (isLeft(proved)) return proved
  const { byAny, byEvery, bySome } = proved.right
  const found = await lastOlder(store, beforeMilliseconds)
  if (isLeft(found)) return found
  const older = found.right
  const entries = await presentEntries(store, {
    beforeMilliseconds,
    older,
    through: Math.max(older, byAny.at(-1)?.[1] ?? 0),
  })
  if (isLeft(entries)) return entries
  const { all, prunable } = entries.right
  if (prunable.length === 0 && prunings.right.length === 0) return right(undefined)
  const missing = without(byAny, all)
  return right({
    before: new Date(beforeMilliseconds).toISOString(),
    through: Math.max(older, missing.at(-1)?.[1] ?? 0),
    present: prunable,
    unproved: without(prunable, byEvery),
    provedBySome: bySome
      .map(({ keys, positions }) => ({ keys, positions: without(without(positions, byEvery), all) }))
      .filter(({ positions }) => positions.length > 0),
    proved: without(union([missing, prunable]), without(prunable, byAny)),
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

/** The positions of the entries in the store, and of those that may be pruned. */
const presentEntries = async (
  store: Pick<Store, 'readEvents'>,
  {
    beforeMilliseconds,
    older,
    through,
  }: Readonly<{ beforeMilliseconds: number; older: number; through: number }>,
): Promise<Either<StoreUnavailable, Readonly<{ all: Runs; prunable: Runs }>>> => {
  const isPrunable = prunableBefore(beforeMilliseconds)
  const all: Array<Runs> = []
  const prunable: Array<Runs> = []
  for await (const page of prunedPages(store, through)) {
    if (isLeft(page)) return page
    const going = page.right.filter((entry) => isPrunable(entry) && entry.position <= older)
    all.push(runsOf(page.right.map(({ position }) => position)))
    prunable.push(runsOf(going.map(({ position }) => position)))
  }
  return right({ all: union(all), prunable: union(prunable) })
}
