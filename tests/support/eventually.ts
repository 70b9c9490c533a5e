import { setTimeout } from 'node:timers/promises'

/**
 * Polls until a condition holds, for events outside a response.
 *
 * @param look returns undefined while the condition does not hold
 * @throws Error after ten seconds, or `patienceMs`, with the name of the condition
 */
export const eventually = async <A>(
  what: string,
  look: () => Promise<A | undefined>,
  { patienceMs = PATIENCE_MS, lookMs = LOOK_MS }: Readonly<{ patienceMs?: number; lookMs?: number }> = {},
): Promise<A> => {
  const until = Date.now() + patienceMs
  for (;;) {
    const seen = await look()
    if (seen !== undefined) return seen
    if (Date.now() > until) throw new Error(`timed out waiting: ${what}`)
    await setTimeout(lookMs)
  }
}

const PATIENCE_MS = 10_000
const LOOK_MS = 5
