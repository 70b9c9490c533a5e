import type { Task } from 'fp-ts/lib/Task.js'
import type { Background } from '../../../application/ports/background.ts'

/**
 * Work beside the answers, in this process: bounded in number, and over before the process is.
 *
 * @param report hears of a task that threw
 */
export const nodeBackground = (report: (error: unknown) => void): Background => {
  const running = new Set<Promise<void>>()
  const putOff = new Map<NodeJS.Timeout, Task<void>>()
  let closed = false

  const start = (task: Task<void>): void => {
    const run = later()
      .then(task)
      .catch(report)
      .finally(() => running.delete(run))
    running.add(run)
  }

  return {
    run: (task) => {
      if (closed || running.size >= MAX_RUNNING) return false
      start(task)
      return true
    },

    after: (milliseconds, task) => {
      if (closed) return
      const timer = setTimeout(() => {
        putOff.delete(timer)
        start(task)
      }, milliseconds).unref()
      putOff.set(timer, task)
    },

    close: async () => {
      await Promise.all(running) // what they still count is summarized below
      closed = true
      for (const [timer, task] of putOff) {
        clearTimeout(timer)
        start(task)
      }
      putOff.clear()
      await Promise.all(running)
    },
  }
}

/** More than a store takes in a moment; what comes on top is somebody's flood. */
const MAX_RUNNING = 256

/** The answers that are being made now go first. */
const later = (): Promise<void> => new Promise((resolve) => setImmediate(resolve))
