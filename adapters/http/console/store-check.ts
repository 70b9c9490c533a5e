import type { Clock } from '../../../application/ports/environment.ts'
import type { Finding } from '../../../application/ports/inspection.ts'

/** The checks of `doctor`, in the background: they may take longer than a person waits for a page. */
export type StoreCheck = Readonly<{
  /** Does nothing while the checks run. */
  start: () => void
  /** Times are in milliseconds since 1970. */
  state: () => Readonly<{
    last: Readonly<{ at: number; findings: ReadonlyArray<Finding> }> | undefined
    running: Readonly<{ since: number; progress: string }> | undefined
  }>
}>

/** How far the checks are: `done` of about `total` items of one check. */
export type CheckProgress = Readonly<{ check: string; done: number; total: number | undefined }>

/** @param check never rejects */
export const storeCheck = (
  check: (onProgress: (progress: CheckProgress) => void) => Promise<ReadonlyArray<Finding>>,
  clock: Clock,
): StoreCheck => {
  let last: ReturnType<StoreCheck['state']>['last']
  let running: { since: number; progress: string } | undefined
  return {
    start: () => {
      if (running !== undefined) return
      const now = { since: clock(), progress: '' }
      running = now
      const onProgress = ({ check: name, done, total }: CheckProgress): void => {
        now.progress = total === undefined ? name : `${name}, ${done} of ${Math.max(done, total)}`
      }
      void check(onProgress).then((findings) => {
        last = { at: now.since, findings }
        running = undefined
      })
    },
    state: () => ({ last, running }),
  }
}
