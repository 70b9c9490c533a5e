import { type Either, map } from 'fp-ts/lib/Either.js'
import { pipe } from 'fp-ts/lib/function.js'
import * as t from 'io-ts'
import type { StoreUnavailable } from '../../../application/ports/store.ts'
import type { CopyState } from '../../../application/ports/store-copy.ts'
import { orUnreadable } from './unavailable.ts'

const Columns = t.union([
  t.type({ copy_state: t.null, copy_id: t.union([t.string, t.null]) }),
  t.type({
    copy_state: t.keyof({ incomplete: null, moved: null }),
    copy_id: t.string,
    copy_place: t.string,
  }),
])

/** Decodes the copy state of a store. A damaged one is an error, so that nothing is written. */
export const decodeCopyState = (columns: unknown): Either<StoreUnavailable, CopyState> =>
  pipe(
    Columns.decode(columns),
    map(
      (found): CopyState =>
        found.copy_state === null
          ? { state: 'open', copyId: found.copy_id ?? undefined }
          : { state: found.copy_state, copyId: found.copy_id, place: found.copy_place },
    ),
    orUnreadable('the copy state'),
  )

/** Why a store with these columns refuses changes; undefined if it is open. */
export const refusalOf = ({
  copy_state,
  copy_place,
}: Readonly<{ copy_state: unknown; copy_place: unknown }>): StoreUnavailable | undefined =>
  copy_state === null ? undefined : closedByCopy(copy_state === 'moved', String(copy_place))

/** The failure of a store that a copy has closed. */
export const closedByCopy = (isMoved: boolean, place: string): StoreUnavailable => ({
  _tag: 'StoreUnavailable',
  reason: isMoved ? `the store has moved to ${place}` : `the store is an incomplete copy of ${place}`,
})
