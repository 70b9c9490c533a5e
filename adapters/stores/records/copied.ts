import type { Either } from 'fp-ts/lib/Either.js'
import { none } from 'fp-ts/lib/Option.js'
import type { StoreUnavailable } from '../../../application/ports/store.ts'
import type { Copy, CopyState, StoreContents } from '../../../application/ports/store-copy.ts'
import type { Mail } from '../../../domain/mail.ts'
import { unavailable } from './unavailable.ts'

/** The copy state of a store that was created as the target of a copy, before the copy begins. */
export const UNBEGUN: Copy = { id: 'unbegun', place: 'another store' }

/** Whether a store may become the target of a copy: it is empty, or what it contains is an unfinished copy of the same source. */
export const mayBegin = (
  copyState: CopyState,
  found: StoreContents,
  { place, epoch }: Pick<Copy, 'place'> & Pick<StoreContents, 'epoch'>,
): boolean => {
  if (copyState.state === 'open' || copyState.copyId === UNBEGUN.id) return isEmpty(found)
  return copyState.state === 'incomplete' && copyState.place === place && found.epoch === epoch
}

/** Whether a store contains nothing that a copy would overwrite. Its tree may already have a name. */
const isEmpty = ({ items, last }: StoreContents): boolean =>
  last === 0 && Object.entries(items).every(([part, count]) => part === 'tiles' || count === 0)

/** The failure of a store that is not the incomplete target of the copy that writes. */
export const NOT_ITS_TARGET: Either<StoreUnavailable, never> = unavailable(
  'the store is not the incomplete target of this copy',
)

/** A mail as a copy takes it along: the senders of the source have no claim to it. */
export const unclaimed = (mail: Mail): Mail => ({ ...mail, claim: none })
