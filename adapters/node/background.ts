import type { Task } from 'fp-ts/lib/Task.js'
import type { Background } from '../../application/ports/background.ts'

/**
 * Background tasks in this process. Their number is bounded, and `close` waits for them.
 *
 * @param report called with the error of a task that throws
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
      await Promise.all(running) // they may still count refusals, which the tasks below summarize
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

/** More than a store handles in a moment. Beyond it, tasks are refused. */
const MAX_RUNNING = 256

/** Lets responses in progress go first. */
const later = (): Promise<void> => new Promise((resolve) => setImmediate(resolve))
