import type Database from 'better-sqlite3'
import type { StoreUnavailable } from '../../../application/ports/store.ts'
import { refusalOf } from '../records/copy-mark.ts'

/** The columns of a mark. */
export const MARK = 'SELECT copy_state, copy_id, copy_place FROM log_epoch'

/** Reads why the store refuses changes: undefined if it is open. */
export const refusalIn = (db: Database.Database): (() => StoreUnavailable | undefined) => {
  const mark = db.prepare<[], Readonly<{ copy_state: unknown; copy_place: unknown }>>(MARK)
  return () => refusalOf(mark.get() ?? { copy_state: null, copy_place: null })
}
