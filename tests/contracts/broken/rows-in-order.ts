import type { Change, Conflict, EmailTaken, Row, Store } from '../../../application/ports/store.ts'
import { type Broken, broken, watched } from './broken.ts'

/** Stores that judge the rows of one change in another order, or each by what was there before all of them. */
export const BROKEN_ROW_ORDERS: ReadonlyArray<Broken> = [
  broken(
    'judges every row by the version that was there before the change',
    'one row twice in a change is judged by what it has left itself, and the last is kept',
    (store) => {
      const { commit, storedVersion } = watched(store)
      return {
        commit: (change) =>
          change.rows.some((row) => row.row.version !== storedVersion(row) + 1)
            ? refusing({ _tag: 'Conflict' })
            : commit(change),
      }
    },
  ),
  broken(
    'takes the last of a row that comes twice for the only one',
    'one row twice in a change is judged by what it has left itself, and the last is kept',
    (store) => ({ commit: (change) => store.commit(rowsOf(change, lastOfEach(change.rows))) }),
  ),
  broken(
    'keeps the first of a row that comes twice',
    'one row twice in a change is judged by what it has left itself, and the last is kept',
    (store) => ({
      commit: (change) => store.commit(rowsOf(change, lastOfEach([...change.rows].reverse()))),
    }),
  ),
  broken(
    'judges the last row first',
    'an e-mail that a row gives up is not free for the rows before it',
    (store) => ({ commit: (change) => store.commit(rowsOf(change, [...change.rows].reverse())) }),
  ),
  broken(
    'looks at all versions before it looks at e-mails',
    'of two rows that do not fit the first decides, where that is one with a taken e-mail',
    (store) => {
      const { commit, storedVersion } = watched(store)
      return {
        commit: (change) =>
          change.rows.some((row) => row.row.version > storedVersion(row) + 1)
            ? refusing({ _tag: 'Conflict' })
            : commit(change),
      }
    },
  ),
  broken(
    'judges every e-mail by who had it before the change, and before it looks at versions',
    [
      'an e-mail that a row gives up is free for the rows behind it',
      'of two rows that do not fit the first decides, where that is one that conflicts',
      'a row that fits neither by its version nor by its e-mail is a conflict',
    ],
    (store) => ({
      commit: (change) => async () =>
        (await takesATakenOne(store, change)) ? refusing({ _tag: 'EmailTaken' })() : store.commit(change)(),
    }),
  ),
]

const refusing =
  (refusal: Conflict | EmailTaken): ReturnType<Store['commit']> =>
  async () => ({ _tag: 'Left', left: refusal })

const rowsOf = (change: Change, rows: ReadonlyArray<Row>): Change => ({ ...change, rows })

/** Each row once: the last, under the version of the first. */
const lastOfEach = (rows: ReadonlyArray<Row>): ReadonlyArray<Row> => {
  const places = new Map<string, Row>()
  for (const written of rows) {
    const place = `${written.table}/${written.row.id}`
    const version = Math.min(places.get(place)?.row.version ?? Number.MAX_SAFE_INTEGER, written.row.version)
    places.set(place, { ...written, row: { ...written.row, version } } as Row)
  }
  return [...places.values()]
}

const takesATakenOne = async (store: Store, { rows }: Change): Promise<boolean> => {
  for (const written of rows) {
    if (written.table !== 'users') continue
    const found = await store.findUserByEmail(written.row.email)()
    const holder = found._tag === 'Right' && found.right._tag === 'Some' ? found.right.value : undefined
    if (holder !== undefined && holder.id !== written.row.id) return true
  }
  return false
}
