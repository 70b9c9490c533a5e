import { UNBEGUN } from '../records/copied.ts'
import { refusalOf } from '../records/copy-state.ts'
import { ClosedByCopy } from './errors.ts'
import type { Query } from './primary.ts'

type Columns = Readonly<{ copy_state: unknown; copy_place: unknown }>

/** Reads the copy state of the store. */
export const COPY_STATE = 'SELECT copy_state, copy_id, copy_place FROM portcullis.head'

/** Closes a store that is created as the target of a copy, until the copy begins. */
export const markUnbegun = async (query: Query): Promise<void> => {
  await query("UPDATE portcullis.head SET copy_state = 'incomplete', copy_id = $1, copy_place = $2", [
    UNBEGUN.id,
    UNBEGUN.place,
  ])
}

/** @throws ClosedByCopy unless the store is open */
export const expectOpen = async (query: Query): Promise<void> => {
  const { rows } = await query<Columns>(COPY_STATE)
  const refusal = rows[0] && refusalOf(rows[0])
  if (refusal !== undefined) throw new ClosedByCopy(refusal.reason)
}
