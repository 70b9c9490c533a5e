import type { Task } from 'fp-ts/lib/Task.js'

/**
 * Work that nobody waits for: it begins after what is being answered now, and what becomes of it changes no answer.
 * Neither method throws, and a task that does harms nobody else.
 */
export interface Background {
  /** Runs the task soon. False: too much goes on already, or the service is about to end, and it will not be run. */
  run(task: Task<void>): boolean

  /** Runs the task when the time is over, or when the service ends if that is earlier. */
  after(milliseconds: number, task: Task<void>): void

  /** Runs what was put off, waits for all that goes on, and takes nothing more. A second call does nothing. */
  close: Task<void>
}
