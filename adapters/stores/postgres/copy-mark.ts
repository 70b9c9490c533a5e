import { refusalOf } from '../records/copy-mark.ts'
import { ClosedByCopy } from './errors.ts'
import type { Query } from './primary.ts'

type Mark = Readonly<{ copy_state: unknown; copy_place: unknown }>

/** The columns of a mark. */
export const MARK = 'SELECT copy_state, copy_id, copy_place FROM portcullis.head'

/** @throws ClosedByCopy unless the store is open */
export const expectOpen = async (query: Query): Promise<void> => {
  const { rows } = await query<Mark>(MARK)
  const refusal = rows[0] && refusalOf(rows[0])
  if (refusal !== undefined) throw new ClosedByCopy(refusal.reason)
}
