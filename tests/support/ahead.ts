import { availableParallelism } from 'node:os'
import pLimit from 'p-limit'

/**
 * Slow, independent cases of a table. They run concurrently, as many at once as the machine has cores, and each test
 * reads the result of its case.
 */
export const ahead = <Case, Result>(cases: ReadonlyArray<Case>, run: (one: Case) => Promise<Result>) => {
  const limit = pLimit(availableParallelism())
  const results = new Map<Case, Promise<Result>>()

  return {
    /** Call this before the first `of`. */
    start: (): void => {
      for (const one of cases) {
        const result = limit(() => run(one))
        result.catch(() => {}) // the test of this case awaits it
        results.set(one, result)
      }
    },

    /** The result of a case. */
    of: async (one: Case): Promise<Result> => {
      const result = results.get(one)
      if (result === undefined) throw new Error('this case was not started')
      return result
    },

    /** Resolves when all cases have ended, with any result. */
    allDone: async (): Promise<void> => {
      await Promise.allSettled(results.values())
    },
  }
}
