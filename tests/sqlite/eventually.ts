import { setTimeout as sleep } from 'node:timers/promises'

/** Waits until the condition holds. Fails when it takes much longer than it should. */
export const eventually = async (what: string, isSo: () => boolean | Promise<boolean>): Promise<void> => {
  const until = Date.now() + PATIENCE_MS
  while (!(await isSo())) {
    if (Date.now() > until) throw new Error(`timed out waiting: ${what}`)
    await sleep(RETRY_MS)
  }
}

const PATIENCE_MS = 10_000
const RETRY_MS = 50
