import { type Either, isLeft, right } from 'fp-ts/lib/Either.js'
import type { Clock, Digests } from '../ports/environment.ts'
import {
  type LogEntry,
  type Row,
  type Store,
  type StoreUnavailable,
  TABLES,
  type Table,
} from '../ports/store.ts'
import type { Pruning } from '../recording/events/service-events.ts'
import { headOfLog } from '../recording/head-of-log.ts'
import { type Ledger, ledger, type MissingRow } from '../recording/ledger.ts'
import { pages } from '../recording/pages.ts'
import { type EarlyDeletion, earlyDeletionOf, stepsBack } from './clock-ahead.ts'
import { checkPruned, furtherPruning } from './pruned-entries.ts'

/**
 * Compares the rows with the log: versions, digests, live sessions, revocations. Each difference is one sentence.
 * It is safe to run beside a live service.
 */
export type CheckLog = (onProgress?: OnProgress) => Promise<Either<StoreUnavailable, CheckedLog>>

/** `earlyDeletion` is the probable cause of the disagreements, if there is one. */
export type CheckedLog = Readonly<{
  entries: number
  rows: number
  disagreements: ReadonlyArray<string>
  earlyDeletion?: EarlyDeletion
}>

/**
 * Called before the first and after each page of the log and of each table, with the number of its checked items. `total` is an
 * estimate: a live service writes meanwhile.
 */
export type OnProgress = (progress: Readonly<{ of: 'log' | Table; done: number; total: number }>) => void

type Dependencies = Readonly<{
  store: Pick<Store, 'readEvents' | 'listRows'>
  clock: Clock
  digests: Digests
}>

export const checkLog =
  ({ store, clock, digests }: Dependencies): CheckLog =>
  async (onProgress) => {
    const book = ledger(
      (text) => digests.sha256(text),
      () => clock() / 1000,
    )
    const gaps = gapsIn(store)
    const steps = stepsBack()

    const head = onProgress === undefined ? right(0) : await headOfLog(store, 0)()
    if (isLeft(head)) return head
    const logged = await readEntries({ store, book, gaps, steps }, (done) =>
      onProgress?.({ of: 'log', done, total: head.right }),
    )
    if (isLeft(logged)) return logged
    let found = await compareRows(store, book, onProgress)
    if (isLeft(found)) return found
    let { rows, differences } = found.right
    const wrongEntries = [...logged.right]

    // The rows are read after the log, so they can be newer. A difference counts only if the second comparison also finds it,
    // after the ledger has read the log to its current end.
    if (differences.length > 0) {
      const more = await readEntries({ store, book, gaps, steps })
      if (isLeft(more)) return more
      wrongEntries.push(...more.right)
      found = await compareRows(store, book, onProgress)
      if (isLeft(found)) return found
      const again = new Set(found.right.differences.map(({ sentence }) => sentence))
      rows = found.right.rows
      differences = differences.filter(({ sentence }) => again.has(sentence))
    }

    const illegal = await gaps.illegal()
    if (isLeft(illegal)) return illegal
    const disagreements = [...illegal.right, ...wrongEntries, ...differences.map(({ sentence }) => sentence)]
    const checked = { entries: book.position(), rows, disagreements }
    if (disagreements.length > differences.length) return right(checked)
    steps.note(clock()) // entries may be ahead of now
    const early = await earlyDeletionOf(store, differences, steps.greatest())
    if (isLeft(early)) return early
    return right(early.right === undefined ? checked : { ...checked, earlyDeletion: early.right })
  }

type Log = Pick<Store, 'readEvents'>

/** Collects the gaps of a log. Only below a pruning that the log contains, entries may be missing. */
const gapsIn = (store: Log) => {
  const ends: Array<number> = []
  let pruning: Pruning | undefined
  return {
    /** @param previous the position of the entry before it */
    note: (entry: LogEntry, previous: number): void => {
      if (entry.position !== previous + 1) ends.push(entry.position)
      if (entry.type === 'LogPruned') pruning = furtherPruning(pruning, entry.data)
    },
    illegal: async (): Promise<Either<StoreUnavailable, ReadonlyArray<string>>> => {
      const through = pruning?.through ?? 0
      const findings = ends
        .filter((end) => end > through + 1)
        .map((end) => `the log has a gap before position ${end}`)
      const pruned = pruning === undefined ? right(undefined) : await checkPruned(store, pruning)
      if (isLeft(pruned)) return pruned
      return right(pruned.right === undefined ? findings : [...findings, pruned.right])
    },
  }
}

/** Applies the log behind the ledger's position, and returns what is wrong with its entries. */
const readEntries = async (
  {
    store,
    book,
    gaps,
    steps,
  }: Readonly<{
    store: Log
    book: Ledger
    gaps: ReturnType<typeof gapsIn>
    steps: ReturnType<typeof stepsBack>
  }>,
  onPage: (position: number) => void = () => {},
): Promise<Either<StoreUnavailable, ReadonlyArray<string>>> => {
  const wrong: Array<string> = []
  onPage(book.position())
  const readLog = (after: number, limit: number) => store.readEvents({ after, limit })
  for await (const page of pages(readLog, book.position(), ({ position }) => position)) {
    if (isLeft(page)) return page
    for (const entry of page.right) {
      gaps.note(entry, book.position())
      steps.note(Date.parse(entry.at))
      wrong.push(...book.apply(entry))
    }
    onPage(book.position())
  }
  return right(wrong)
}

/** What is wrong with a row. */
type Difference = Readonly<{ sentence: string }> | MissingRow

const compareRows = async (
  store: Pick<Store, 'listRows'>,
  book: Ledger,
  onProgress: OnProgress = () => {},
): Promise<Either<StoreUnavailable, Readonly<{ rows: number; differences: ReadonlyArray<Difference> }>>> => {
  const differences: Array<Difference> = []
  let rows = 0
  for (const table of TABLES) {
    const before = rows
    const total = book.size(table)
    onProgress({ of: table, done: 0, total })
    const readRows = (after: string, limit: number) => store.listRows({ table, after, limit })
    for await (const page of pages(readRows, '', ({ id }) => id)) {
      if (isLeft(page)) return page
      rows += page.right.length
      for (const row of page.right)
        for (const sentence of book.differences({ table, row } as Row)) differences.push({ sentence }) // `row` is of `table`
      onProgress({ of: table, done: rows - before, total })
    }
  }
  return right({ rows, differences: [...differences, ...book.missing()] })
}
