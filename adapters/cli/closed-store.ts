import type { ClosingMark } from '../../application/copying/watch-mark.ts'

/**
 * Says why a store that a copy has closed is refused, and what to do.
 *
 * @param name the store as messages show it
 */
export const closedSentence = (name: string, { state, place }: ClosingMark): string =>
  state === 'moved'
    ? `The store ${name} has moved to ${place}. Set DATABASE_URL to that store. If it is lost, run events renew here: it opens this store again.`
    : `The store ${name} is an incomplete copy of ${place}. Repeat store copy from there to here.`
