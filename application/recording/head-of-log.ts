import { isLeft, right } from 'fp-ts/lib/Either.js'
import type { TaskEither } from 'fp-ts/lib/TaskEither.js'
import type { Store, StoreUnavailable } from '../ports/store.ts'

/**
 * The position of the last entry; 0 in an empty log. Pruning keeps the last entry, so an exponential search finds it across gaps. It takes
 * one read if the log has not grown, otherwise about 2·log2(new entries).
 *
 * @param known a position with an entry, or 0
 */
export const headOfLog =
  (log: Pick<Store, 'readEvents'>, known: number): TaskEither<StoreUnavailable, number> =>
  async () => {
    let last = known
    let beyond = Number.MAX_SAFE_INTEGER // a position without an entry
    let step = 1
    while (last + 1 < beyond) {
      // Double the step until it is too far, then bisect.
      const position = step > 0 ? Math.min(last + step, beyond - 1) : Math.floor((last + beyond) / 2)
      const behind = await log.readEvents({ after: position - 1, limit: 1 })()
      if (isLeft(behind)) return behind
      if (behind.right.length > 0) last = position
      else beyond = position
      step = behind.right.length > 0 ? 2 * step : 0
    }
    return right(last)
  }
