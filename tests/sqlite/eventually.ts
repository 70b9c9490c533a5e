import { setTimeout as sleep } from 'node:timers/promises'

/** Waits until it is so, and fails when it is not so for much longer than it may take. */
export const eventually = async (what: string, isSo: () => boolean | Promise<boolean>): Promise<void> => {
  const until = Date.now() + PATIENCE_MS
  while (!(await isSo())) {
    if (Date.now() > until) throw new Error(`it did not come to this: ${what}`)
    await sleep(RETRY_MS)
  }
}

const PATIENCE_MS = 10_000
const RETRY_MS = 50
