import * as TE from 'fp-ts/lib/TaskEither.js'
import { memoryFailureCounts } from '../../../adapters/driven/memory/failure-counts.ts'
import type { FailureCounts } from '../../../application/ports/failure-counts.ts'
import { turn } from './broken.ts'
import { type BrokenCounts, beginningLate, brokenCounts } from './failure-counts.ts'

const AFTER_CLOSE = 'an update answers StoreUnavailable once they are closed, and nothing is decided'
const NEVER_USED = 'counts that were never used can be closed, and are closed then'

/** Counts that do not know how to end. */
export const BROKEN_ENDS: ReadonlyArray<BrokenCounts> = [
  brokenCounts('count on when they are closed', [AFTER_CLOSE, NEVER_USED], (counts, clock) =>
    endingAs(counts, memoryFailureCounts(clock).update),
  ),
  brokenCounts('reject what they are asked when they are closed', [AFTER_CLOSE, NEVER_USED], (counts) =>
    endingAs(counts, () => () => Promise.reject(new Error('closed'))),
  ),
  brokenCounts('throw at who asks when they are closed', [AFTER_CLOSE, NEVER_USED], (counts) =>
    endingAs(counts, () => {
      throw new Error('closed')
    }),
  ),
  brokenCounts('do not say why they are unavailable', AFTER_CLOSE, (counts) =>
    endingAs(counts, () => TE.left({ _tag: 'StoreUnavailable', reason: '' })),
  ),
  brokenCounts('let somebody decide when they are closed', AFTER_CLOSE, (counts) => ({
    update: (key, decide) => async () => {
      const outcome = await counts.update(key, decide)()
      if (outcome._tag === 'Left') decide({ _tag: 'None' })
      return outcome
    },
  })),
  brokenCounts('are closed only when they were used', NEVER_USED, (counts) => {
    let used = false
    return {
      update: (key, decide) => async () => {
        used = true
        return counts.update(key, decide)()
      },
      close: async () => {
        if (used) await counts.close()
      },
    }
  }),
  brokenCounts('cannot be closed twice', 'closing twice, or twice at once, does nothing more', (counts) => {
    let closed = false
    return {
      close: async () => {
        if (closed) throw new Error('closed already')
        closed = true
        await counts.close()
      },
    }
  }),
  brokenCounts(
    'drop what waits when they are closed',
    'updates asked for before close are done when it resolves',
    beginningLate,
  ),
  brokenCounts(
    'count on until they are closed',
    'what is asked for once closing has begun is not done any more',
    (counts) => ({
      close: async () => {
        await turn()
        await counts.close()
      },
    }),
  ),
]

/** Counts that are as they should be until they are closed, and then answer like this. */
export const endingAs = (counts: FailureCounts, afterwards: FailureCounts['update']): FailureCounts => {
  let closed = false
  return {
    update: (key, decide) => (closed ? afterwards(key, decide) : counts.update(key, decide)),
    close: async () => {
      closed = true
    },
  }
}
