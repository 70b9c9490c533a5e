import { isLeft } from 'fp-ts/lib/Either.js'
import type { Finding } from '../../application/ports/inspection.ts'
import type { RowOf, Store, Table } from '../../application/ports/store.ts'
import { pages } from '../../application/recording/pages.ts'
import { unavailableText } from './operations.ts'

/** What `doctor` says about the rows of a table. It takes all of them, in pages. */
export type TableFinding<T extends Table> = Readonly<{
  /** Of the finding about a table that cannot be read. */
  name: string
  table: T
  take: (rows: ReadonlyArray<RowOf<T>>) => void
  findings: () => Promise<ReadonlyArray<Finding>>
}>

/** Reads the table, and returns the findings. */
export const findingsOfTable = async <T extends Table>(
  store: Pick<Store, 'listRows'>,
  { name, table, take, findings }: TableFinding<T>,
  onProgress: (done: number) => void = () => {},
): Promise<ReadonlyArray<Finding>> => {
  let done = 0
  onProgress(done)
  const read = (after: string, limit: number) => store.listRows({ table, after, limit })
  for await (const page of pages(read, '', ({ id }) => id)) {
    if (isLeft(page)) return [{ name, ok: false, detail: unavailableText(page.left) }]
    take(page.right)
    done += page.right.length
    onProgress(done)
  }
  return findings()
}

/**
 * The findings about a table that another check reads. If it has not read the whole table, `findings` reads it.
 *
 * @param make makes the same finding without rows
 */
export const sharedTableFinding = <T extends Table>(
  store: Pick<Store, 'listRows'>,
  make: () => TableFinding<T>,
  onProgress: (progress: Readonly<{ check: string; done: number; total: undefined }>) => void,
) => {
  const made = make()
  return {
    take: made.take,
    findings: (isWhole: boolean): Promise<ReadonlyArray<Finding>> =>
      isWhole
        ? made.findings()
        : findingsOfTable(store, make(), (done) => onProgress({ check: made.name, done, total: undefined })),
  }
}
