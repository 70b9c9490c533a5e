import { type Either, isLeft } from 'fp-ts/lib/Either.js'
import type { Clock, Digests } from '../ports/environment.ts'
import { type LogTree, treeOf } from '../ports/log-tree.ts'
import type { LogEntry, Store, StoreUnavailable } from '../ports/store.ts'
import type { DamagedLog } from './append-entries.ts'
import { type CheckedLog, type CheckListeners, checkFurther } from './check-log.ts'
import { type EntryChecks, entryChecks } from './entry-checks.ts'
import type { HistoryDependencies } from './stored-tree.ts'
import { type RenewedMeanwhile, type VerifiedLog, verifyLog } from './verify-log.ts'

/** Compares the log with its tree and with the rows: `verifyLog` and `checkLog` in one pass over the log. */
export type CheckStore = (listeners?: CheckListeners) => Promise<CheckedStore>

/** `history` is undefined if the store has no tree. */
export type CheckedStore = Readonly<{
  log: Either<StoreUnavailable, CheckedLog>
  history: Either<DamagedLog | StoreUnavailable | RenewedMeanwhile, VerifiedLog> | undefined
}>

type Dependencies = HistoryDependencies & Readonly<{ store: Store; clock: Clock; digests: Digests }>

export const checkStore =
  (dependencies: Dependencies): CheckStore =>
  async (listeners = {}) => {
    const { store } = dependencies
    const tree = treeOf(store)
    const checks = entryChecks({ ...dependencies, proofs: tree && { ...dependencies, log: tree } })
    const history =
      tree &&
      verifyLog({
        ...dependencies,
        log: readFor(checks, tree),
        findPrunings: () => checks.readPrunings(store),
      })
    const verified = await history?.([], (done, total) =>
      listeners.onProgress?.({ of: 'log', done, total }),
    )()
    return { log: await checkFurther(dependencies, checks, listeners), history: verified }
  }

/**
 * A log whose lines also bring entries to the checks. A page that does not continue theirs, or lacks an entry, brings none: the checks
 * read the rest of the log themselves, and meet the failure.
 */
const readFor = ({ book, take }: EntryChecks, tree: LogTree): LogTree => ({
  ...tree,
  readLines: (query) => async () => {
    const withEntries = query.after === book.position()
    const lines = await tree.readLines({ ...query, withEntries })()
    if (!withEntries || isLeft(lines)) return lines
    const entries: Array<LogEntry> = []
    for (const { entry } of lines.right) if (entry !== undefined) entries.push(entry)
    if (entries.length === lines.right.length) take(entries)
    return lines
  },
})
