import { setTimeout } from 'node:timers/promises'
import { isRight } from 'fp-ts/lib/Either.js'
import type { Task } from 'fp-ts/lib/Task.js'
import type { TaskEither } from 'fp-ts/lib/TaskEither.js'

/**
 * Returns what reads a value of the store for a scrape. It resolves with the last known value if the store fails or takes longer than a
 * scrape waits, and with undefined until one is known.
 */
export const readAtScrape = <A>(
  read: (known: A | undefined) => TaskEither<unknown, A>,
): Task<A | undefined> => {
  let known: A | undefined
  let reading: Promise<void> | undefined

  const readOnce = async (): Promise<void> => {
    try {
      const found = await read(known)()
      if (isRight(found)) known = found.right
    } catch {
      // A store that throws must not break the scrape.
    } finally {
      reading = undefined
    }
  }

  return async () => {
    reading ??= readOnce() // concurrent scrapes share one question
    await Promise.race([reading, setTimeout(TIMEOUT_MS, undefined, { ref: false })])
    return known
  }
}

/** A slower store is read for the next scrape. */
const TIMEOUT_MS = 500
