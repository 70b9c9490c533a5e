import { setTimeout } from 'node:timers/promises'

/**
 * Looks again and again until something is there, for what happens off the path of an answer.
 *
 * @param look returns undefined for as long as there is nothing to be seen
 * @throws Error when it has not been there for ten seconds, with what it is that did not happen
 */
export const eventually = async <A>(what: string, look: () => Promise<A | undefined>): Promise<A> => {
  const until = Date.now() + PATIENCE_MS
  for (;;) {
    const seen = await look()
    if (seen !== undefined) return seen
    if (Date.now() > until) throw new Error(`it did not happen: ${what}`)
    await setTimeout(LOOK_MS)
  }
}

const PATIENCE_MS = 10_000
const LOOK_MS = 5
