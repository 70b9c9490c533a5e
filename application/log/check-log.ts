import { type Either, isLeft, right } from 'fp-ts/lib/Either.js'
import type { Clock, Digests } from '../ports/environment.ts'
import {
  type Row,
  type RowOf,
  type Store,
  type StoreUnavailable,
  TABLES,
  type Table,
} from '../ports/store.ts'
import { headOfLog } from '../recording/head-of-log.ts'
import type { Ledger, MissingRow } from '../recording/ledger.ts'
import { PAGE_OF_CHECK, pages } from '../recording/pages.ts'
import { type EarlyDeletion, earlyDeletionOf } from './clock-ahead.ts'
import { type EntryChecks, entryChecks } from './entry-checks.ts'
import type { ProofDependencies } from './pruned-entries.ts'

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

export type CheckListeners = Readonly<{
  onProgress?: OnProgress | undefined
  /** Called with each page of a table, once. If the check fails, pages may be missing. */
  onRows?: { readonly [T in Table]?: (rows: ReadonlyArray<RowOf<T>>) => void } | undefined
}>

type Dependencies = Readonly<{
  store: Pick<Store, 'readEvents' | 'listRows'>
  clock: Clock
  digests: Digests
  proofs?: ProofDependencies | undefined
}>

export const checkLog =
  (dependencies: Dependencies): CheckLog =>
  (onProgress) =>
    checkFurther(dependencies, entryChecks(dependencies), { onProgress })

/** Continues a check behind the entries that were taken already: the rest of the log, and the rows. */
export const checkFurther = async (
  { store, clock }: Dependencies,
  checks: EntryChecks,
  { onProgress, onRows }: CheckListeners,
): Promise<Either<StoreUnavailable, CheckedLog>> => {
  const { book, steps } = checks
  const head = onProgress === undefined ? right(0) : await headOfLog(store, book.position())()
  if (isLeft(head)) return head
  const logged = await takeEntries(store, checks, (done) =>
    onProgress?.({ of: 'log', done, total: head.right }),
  )
  if (isLeft(logged)) return logged
  let found = await compareRows(store, book, { onProgress, onRows })
  if (isLeft(found)) return found
  let { rows, differences } = found.right

  // The rows are read after the log, so they can be newer. A difference counts only if the second comparison also finds it,
  // after the ledger has read the log to its current end.
  if (differences.length > 0) {
    const more = await takeEntries(store, checks)
    if (isLeft(more)) return more
    found = await compareRows(store, book, { onProgress })
    if (isLeft(found)) return found
    const again = new Set(found.right.differences.map(({ sentence }) => sentence))
    rows = found.right.rows
    differences = differences.filter(({ sentence }) => again.has(sentence))
  }

  const findings = await checks.findings(store)
  if (isLeft(findings)) return findings
  const disagreements = [...findings.right, ...differences.map(({ sentence }) => sentence)]
  const checked = { entries: book.position(), rows, disagreements }
  if (disagreements.length > differences.length) return right(checked)
  steps.note(new Date(clock()).toISOString()) // entries may be ahead of now
  const early = await earlyDeletionOf(store, differences, steps.greatest())
  if (isLeft(early)) return early
  return right(early.right === undefined ? checked : { ...checked, earlyDeletion: early.right })
}

/** Takes the entries behind those that were taken. */
const takeEntries = async (
  store: Pick<Store, 'readEvents'>,
  { take, book }: EntryChecks,
  onPage: (position: number) => void = () => {},
): Promise<Either<StoreUnavailable, void>> => {
  onPage(book.position())
  const readLog = (after: number, limit: number) => store.readEvents({ after, limit })
  for await (const page of pages(readLog, book.position(), ({ position }) => position, PAGE_OF_CHECK)) {
    if (isLeft(page)) return page
    take(page.right)
    onPage(book.position())
  }
  return right(undefined)
}

/** What is wrong with a row. */
type Difference = Readonly<{ sentence: string }> | MissingRow

const compareRows = async (
  store: Pick<Store, 'listRows'>,
  book: Ledger,
  { onProgress = () => {}, onRows = {} }: CheckListeners,
): Promise<Either<StoreUnavailable, Readonly<{ rows: number; differences: ReadonlyArray<Difference> }>>> => {
  const differences: Array<Difference> = []
  let rows = 0
  for (const table of TABLES) {
    const before = rows
    const total = book.size(table)
    onProgress({ of: table, done: 0, total })
    const readRows = (after: string, limit: number) => store.listRows({ table, after, limit })
    for await (const page of pages(readRows, '', ({ id }) => id, PAGE_OF_CHECK)) {
      if (isLeft(page)) return page
      rows += page.right.length
      onRows[table]?.(page.right as never) // they are of `table`
      for (const row of page.right)
        for (const sentence of book.differences({ table, row } as Row)) differences.push({ sentence }) // `row` is of `table`
      onProgress({ of: table, done: rows - before, total })
    }
  }
  return right({ rows, differences: [...differences, ...book.missing()] })
}
