import { availableParallelism } from 'node:os'
import pLimit from 'p-limit'

/**
 * Cases of a table that take their time and do not get into each other's way: they are run side by side, as many at once as
 * the machine has cores, and asked about one by one.
 */
export const ahead = <Case, Result>(cases: ReadonlyArray<Case>, run: (one: Case) => Promise<Result>) => {
  const limit = pLimit(availableParallelism())
  const results = new Map<Case, Promise<Result>>()

  return {
    /** To be called before the first question. */
    start: (): void => {
      for (const one of cases) {
        const result = limit(() => run(one))
        result.catch(() => {}) // whoever asks about this case hears of it
        results.set(one, result)
      }
    },

    /** What came of a case. */
    of: async (one: Case): Promise<Result> => {
      const result = results.get(one)
      if (result === undefined) throw new Error('this case was not started')
      return result
    },

    /** Resolves when nothing runs any more, however it ended. */
    allDone: async (): Promise<void> => {
      await Promise.allSettled(results.values())
    },
  }
}
