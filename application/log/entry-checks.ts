import { type Either, isLeft, right } from 'fp-ts/lib/Either.js'
import type { Clock, Digests } from '../ports/environment.ts'
import type { LogEntry, Store, StoreUnavailable } from '../ports/store.ts'
import type { Pruning } from '../recording/events/service-events.ts'
import { type Ledger, ledger } from '../recording/ledger.ts'
import { stepsBack } from './clock-ahead.ts'
import { checkPruned, furtherPruning, lastPruning } from './pruned-entries.ts'

/** Checks the entries of the log, each against those before it. It takes each entry once, in the order of the log. */
export type EntryChecks = Readonly<{
  take(entries: ReadonlyArray<LogEntry>): void
  /** What the entries say about the rows. */
  book: Ledger
  /** What the times of the entries say about clocks. */
  steps: ReturnType<typeof stepsBack>
  /** Returns the pruning that counts of these entries and those behind them. */
  lastPruning(store: Log): ReturnType<typeof lastPruning>
  /** What is wrong with the entries. Only below a pruning that the log contains, entries may be missing. */
  findings(store: Log): Promise<Either<StoreUnavailable, ReadonlyArray<string>>>
}>

type Log = Pick<Store, 'readEvents'>

export const entryChecks = ({
  clock,
  digests,
}: Readonly<{ clock: Clock; digests: Pick<Digests, 'sha256'> }>): EntryChecks => {
  const book = ledger(
    (text) => digests.sha256(text),
    () => clock() / 1000,
  )
  const steps = stepsBack()
  const wrong: Array<string> = []
  const endsOfGaps: Array<number> = []
  let pruning: Pruning | undefined

  return {
    take: (entries) => {
      for (const entry of entries) {
        if (entry.position !== book.position() + 1) endsOfGaps.push(entry.position)
        if (entry.type === 'LogPruned') pruning = furtherPruning(pruning, entry.data)
        steps.note(entry.at)
        for (const finding of book.apply(entry)) wrong.push(finding)
      }
    },
    book,
    steps,
    lastPruning: (store) => lastPruning(store, { after: book.position(), known: pruning }),
    findings: async (store) => {
      const through = pruning?.through ?? 0
      const gaps = endsOfGaps
        .filter((end) => end > through + 1)
        .map((end) => `the log has a gap before position ${end}`)
      const pruned = pruning === undefined ? right(undefined) : await checkPruned(store, pruning)
      if (isLeft(pruned)) return pruned
      return right([...gaps, ...(pruned.right === undefined ? [] : [pruned.right]), ...wrong])
    },
  }
}
