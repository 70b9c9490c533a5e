import { setTimeout } from 'node:timers/promises'

/**
 * Polls until a condition holds, for events outside a response.
 *
 * @param look returns undefined while the condition does not hold
 * @throws Error after ten seconds, with the name of the condition
 */
export const eventually = async <A>(what: string, look: () => Promise<A | undefined>): Promise<A> => {
  const until = Date.now() + PATIENCE_MS
  for (;;) {
    const seen = await look()
    if (seen !== undefined) return seen
    if (Date.now() > until) throw new Error(`timed out waiting: ${what}`)
    await setTimeout(LOOK_MS)
  }
}

const PATIENCE_MS = 10_000
const LOOK_MS = 5
