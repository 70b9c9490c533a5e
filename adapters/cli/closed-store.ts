import type { ClosingMark } from '../../application/copying/watch-mark.ts'

/** The place of a custom store in messages and marks. */
export const PLACE_OF_WITH = 'the store of --with'

/** The beginning of a sentence about the store at a place. */
export const storeAt = (place: string): string =>
  place === PLACE_OF_WITH ? 'The store of --with' : `The store ${place}`

/**
 * Says why a store that a copy has closed is refused, and what to do.
 *
 * @param name the store as messages show it
 */
export const closedSentence = (name: string, { state, place }: ClosingMark): string =>
  state === 'moved'
    ? `${storeAt(name)} has moved to ${place}. Set DATABASE_URL to that store. If it is lost, run events renew here: it opens this store again.`
    : `${storeAt(name)} is an incomplete copy of ${place}. Repeat store copy from there to here.`
