import { type Either, isLeft, right } from 'fp-ts/lib/Either.js'
import { headOfLog } from './head-of-log.ts'
import { pages } from './pages.ts'
import type { Clock, Digests } from './ports/environment.ts'
import { type Row, type Store, type StoreUnavailable, TABLES, type Table } from './ports/store.ts'
import { type Ledger, ledger } from './recording/ledger.ts'

/**
 * Compares the rows with the log: versions, digests, live sessions, revocations. Each difference is one sentence.
 * It is safe to run beside a live service.
 */
export type CheckLog = (
  onProgress?: OnProgress,
) => Promise<
  Either<StoreUnavailable, Readonly<{ entries: number; rows: number; disagreements: ReadonlyArray<string> }>>
>

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

    const head = onProgress === undefined ? right(0) : await headOfLog(store, 0)()
    if (isLeft(head)) return head
    const logged = await readEntries(store, book, (done) =>
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
      const more = await readEntries(store, book)
      if (isLeft(more)) return more
      wrongEntries.push(...more.right)
      found = await compareRows(store, book, onProgress)
      if (isLeft(found)) return found
      const again = new Set(found.right.differences)
      rows = found.right.rows
      differences = differences.filter((sentence) => again.has(sentence))
    }

    return right({ entries: book.position(), rows, disagreements: [...wrongEntries, ...differences] })
  }

/** Applies the log behind the ledger's position, and returns what is wrong with its entries. */
const readEntries = async (
  store: Pick<Store, 'readEvents'>,
  book: Ledger,
  onPage: (position: number) => void = () => {},
): Promise<Either<StoreUnavailable, ReadonlyArray<string>>> => {
  const wrong: Array<string> = []
  onPage(book.position())
  const readLog = (after: number, limit: number) => store.readEvents({ after, limit })
  for await (const page of pages(readLog, book.position(), ({ position }) => position)) {
    if (isLeft(page)) return page
    for (const entry of page.right) wrong.push(...book.apply(entry))
    onPage(book.position())
  }
  return right(wrong)
}

const compareRows = async (
  store: Pick<Store, 'listRows'>,
  book: Ledger,
  onProgress: OnProgress = () => {},
): Promise<Either<StoreUnavailable, Readonly<{ rows: number; differences: ReadonlyArray<string> }>>> => {
  const differences: Array<string> = []
  let rows = 0
  for (const table of TABLES) {
    const before = rows
    const total = book.size(table)
    onProgress({ of: table, done: 0, total })
    const readRows = (after: string, limit: number) => store.listRows({ table, after, limit })
    for await (const page of pages(readRows, '', ({ id }) => id)) {
      if (isLeft(page)) return page
      rows += page.right.length
      for (const row of page.right) differences.push(...book.differences({ table, row } as Row)) // `row` is of `table`
      onProgress({ of: table, done: rows - before, total })
    }
  }
  return right({ rows, differences: [...differences, ...book.missing()] })
}
