import { isLeft } from 'fp-ts/lib/Either.js'
import type { ClosedState } from '../../application/copying/watch-copy-state.ts'
import type { StoreCopy } from '../../application/ports/store-copy.ts'
import { printableOnLine } from './printable.ts'

/** The place of a custom store in messages and copy states. */
export const PLACE_OF_WITH = 'the store of --with'

/** The beginning of a sentence about the store at a place. */
export const storeAt = (place: string): string =>
  place === PLACE_OF_WITH ? 'The store of --with' : `The store ${place}`

/** Returns the copy state with which a copy has closed the store; undefined for an open store, and one that cannot be asked. */
export const closedState = async ({
  storeCopy,
}: Readonly<{ storeCopy: StoreCopy | undefined }>): Promise<ClosedState | undefined> => {
  const copyState = await storeCopy?.readCopyState()()
  return copyState === undefined || isLeft(copyState) || copyState.right.state === 'open'
    ? undefined
    : copyState.right
}

/**
 * Says why a store that a copy has closed is refused, and what to do.
 *
 * @param name the store as messages show it
 */
export const closedSentence = (name: string, { state, place }: ClosedState): string =>
  printableOnLine(closedText(name, state, place))

const closedText = (name: string, state: ClosedState['state'], place: string): string =>
  state === 'moved'
    ? `${storeAt(name)} has moved to ${place}. Set DATABASE_URL to that store. If it is lost, run events renew here: it opens this store again.`
    : `${storeAt(name)} is an incomplete copy of ${place}. Repeat store copy from there to here.`
