import * as E from 'fp-ts/lib/Either.js'
import type { StoreUnavailable } from '../../application/ports/store.ts'

/** What a store answers when it finds something in `place` that it cannot have written. Values stay unsaid. */
export const orUnreadable = (place: string) =>
  E.mapLeft((): StoreUnavailable => ({ _tag: 'StoreUnavailable', reason: `unreadable entry in ${place}` }))
