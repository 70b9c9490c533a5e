import { isLeft, right } from 'fp-ts/lib/Either.js'
import type { TaskEither } from 'fp-ts/lib/TaskEither.js'
import { pages } from './pages.ts'
import type { Clock, Digests } from './ports/environment.ts'
import type { Row, Store, StoreUnavailable, Table } from './ports/store.ts'
import { ledger } from './recording/ledger.ts'

/**
 * Whether the rows say what the log says: versions, digests, live sessions, revocations. Everything that disagrees, one
 * sentence each; nothing means that all is well. It may run beside a service that is at work.
 */
export type CheckLog = TaskEither<
  StoreUnavailable,
  Readonly<{ entries: number; rows: number; disagreements: ReadonlyArray<string> }>
>

export const checkLog =
  ({
    store,
    clock,
    digests,
  }: Readonly<{ store: Pick<Store, 'readEvents' | 'listRows'>; clock: Clock; digests: Digests }>): CheckLog =>
  async () => {
    const book = ledger((text) => digests.sha256(text), clock() / 1000)
    const wrongEntries: Array<string> = []
    const wrongRows: Array<ReadonlyArray<string>> = []
    let rows = 0

    // Rows are read after the log, so they may be ahead of it. What is wrong with the same version of a row at a second
    // look as well, after the log has been followed to where it is now, is not merely ahead.
    for (let look = 1; look <= 2 && (look === 1 || wrongRows[0]?.length !== 0); look += 1) {
      const readLog = (after: number, limit: number) => store.readEvents({ after, limit })
      for await (const page of pages(readLog, book.position(), ({ position }) => position)) {
        if (isLeft(page)) return page
        for (const entry of page.right) wrongEntries.push(...book.apply(entry))
      }
      const found: Array<string> = []
      rows = 0
      for (const table of TABLES) {
        const readRows = (after: string, limit: number) => store.listRows({ table, after, limit })
        for await (const page of pages(readRows, '', ({ id }) => id)) {
          if (isLeft(page)) return page
          rows += page.right.length
          for (const row of page.right) found.push(...book.differences({ table, row } as Row)) // of that very table
        }
      }
      wrongRows.push([...found, ...book.missing()])
    }

    const [first = [], second = []] = wrongRows
    const again = new Set(second)
    const disagreements = [...wrongEntries, ...first.filter((sentence) => again.has(sentence))]
    return right({ entries: book.position(), rows, disagreements })
  }

const TABLES: ReadonlyArray<Table> = ['applications', 'users', 'sessions', 'keys', 'revoked_tokens']
