import type { Writable } from 'node:stream'
import type { Progress } from './findings.ts'
import { progressBar } from './progress-bar.ts'

/** The progress of the long checks of `doctor`, one after the other. It leaves nothing on the terminal. */
export const checkProgress = (terminal: Writable) => {
  const bar = progressBar(terminal, { format: '{bar} {percentage}% | {check}{count}', isKept: false })
  let current: string | undefined
  let shown = 0
  return {
    show: ({ check, done, total }: Progress): void => {
      const count = total === undefined ? '' : `: ${done} of ${Math.max(done, total)}`
      const isNew = check !== current || done < shown
      if (isNew) bar.begin(total ?? UNKNOWN, { check, count })
      if (total !== undefined) bar.advance(isNew ? done : done - shown, { check, count })
      current = check
      shown = done
    },
    stop: bar.stop,
  }
}

/** The bar of a check of unknown size stays at 0 %. */
const UNKNOWN = 1
