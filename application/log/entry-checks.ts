import { type Either, isLeft, isRight, left, right } from 'fp-ts/lib/Either.js'
import { type Runs, without } from '../../domain/position-runs.ts'
import type { Clock, Digests } from '../ports/environment.ts'
import type { LogEntry, Store, StoreUnavailable } from '../ports/store.ts'
import type { Pruning } from '../recording/events/service-events.ts'
import { type Ledger, ledger } from '../recording/ledger.ts'
import { stepsBack } from './clock-ahead.ts'
import { NONE_PROVED, type ProofDependencies, provedPositions, readPrunings } from './pruned-entries.ts'

/** Checks the entries of the log, each against those before it. It takes each entry once, in the order of the log. */
export type EntryChecks = Readonly<{
  take(entries: ReadonlyArray<LogEntry>): void
  /** What the entries say about the rows. */
  book: Ledger
  /** What the times of the entries say about clocks. */
  steps: ReturnType<typeof stepsBack>
  /** Returns what `LogPruned` says in these entries and in those behind them. */
  readPrunings(store: Log): ReturnType<typeof readPrunings>
  /** What is wrong with the entries. Only those may be missing of which a signed `LogPruned` proves that they were pruned. */
  findings(store: Log): Promise<Either<StoreUnavailable, ReadonlyArray<string>>>
}>

type Log = Pick<Store, 'readEvents'>

type Dependencies = Readonly<{
  clock: Clock
  digests: Pick<Digests, 'sha256'>
  /** What opens the proofs of prunings. A store without a tree has none. */
  proofs?: ProofDependencies | undefined
}>

export const entryChecks = ({ clock, digests, proofs }: Dependencies): EntryChecks => {
  const book = ledger(
    (text) => digests.sha256(text),
    () => clock() / 1000,
  )
  const steps = stepsBack()
  const wrong: Array<string> = []
  const gaps: Array<Runs[number]> = []
  const prunings: Array<Pruning> = []

  const allPrunings: EntryChecks['readPrunings'] = async (store) => {
    const further = await readPrunings(store, book.position())
    return isLeft(further) ? further : right([...prunings, ...further.right])
  }

  return {
    take: (entries) => {
      for (const entry of entries) {
        const expected = book.position() + 1
        if (entry.position > expected) gaps.push([expected, entry.position - 1])
        if (entry.type === 'LogPruned') prunings.push(entry.data)
        steps.note(entry.at)
        for (const finding of book.apply(entry)) wrong.push(finding)
      }
    },
    book,
    steps,
    readPrunings: allPrunings,
    findings: async (store) => {
      if (gaps.length === 0) return right(wrong)
      const read = await allPrunings(store)
      if (isLeft(read)) return read
      const proved = proofs === undefined ? right(NONE_PROVED) : await provedPositions(proofs, read.right)
      if (isRight(proved)) return right([...without(gaps, proved.right.byAny).map(missing), ...wrong])
      if (proved.left._tag === 'StoreUnavailable') return left(proved.left)
      return right([`what was pruned cannot be proved: ${proved.left.finding}`, ...wrong])
    },
  }
}

const missing = ([first, last]: Runs[number]): string =>
  `${first === last ? `position ${first} is` : `positions ${first} to ${last} are`} missing, and no LogPruned that EVENT_LOG_KEY has signed names ${first === last ? 'it' : 'them'}`
