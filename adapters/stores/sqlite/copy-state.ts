import type Database from 'better-sqlite3'
import type { StoreUnavailable } from '../../../application/ports/store.ts'
import { UNBEGUN } from '../records/copied.ts'
import { refusalOf } from '../records/copy-state.ts'

/** Reads the copy state of the store. */
export const COPY_STATE = 'SELECT copy_state, copy_id, copy_place FROM log_epoch'

/** Closes a store that is created as the target of a copy, until the copy begins. */
export const markUnbegun = (db: Database.Database): void =>
  void db
    .prepare("UPDATE log_epoch SET copy_state = 'incomplete', copy_id = @id, copy_place = @place")
    .run(UNBEGUN)

/** Reads why the store refuses changes: undefined if it is open. */
export const refusalIn = (db: Database.Database): (() => StoreUnavailable | undefined) => {
  const copyState = db.prepare<[], Readonly<{ copy_state: unknown; copy_place: unknown }>>(COPY_STATE)
  return () => refusalOf(copyState.get() ?? { copy_state: null, copy_place: null })
}
