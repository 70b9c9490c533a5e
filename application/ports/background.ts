import type { Task } from 'fp-ts/lib/Task.js'

/**
 * Runs work that no response waits for. The work starts after the current response, and its outcome changes no response.
 * No method throws. A task that throws does not affect other tasks.
 */
export interface Background {
  /** Runs the task soon. It returns false and never runs the task if too many are running, or after `close`. */
  run(task: Task<void>): boolean

  /** Runs the task after this time, or when the service stops if that is earlier. */
  after(milliseconds: number, task: Task<void>): void

  /** Runs the delayed tasks, waits for all running ones, and accepts no more. A second call does nothing. */
  close: Task<void>
}
