import type { Task } from 'fp-ts/lib/Task.js'
import type { TaskEither } from 'fp-ts/lib/TaskEither.js'
import type { StoreUnavailable } from '../../../application/ports/store.ts'
import { STORE_CLOSED } from './unavailable.ts'

/** Refuses what is asked after `close`, which waits for everything before it. */
export const closable = (): Readonly<{
  unlessClosed: <Failure, A>(task: TaskEither<Failure, A>) => TaskEither<Failure | StoreUnavailable, A>
  close: Task<void>
}> => {
  const running = new Set<Promise<unknown>>()
  let closed = false
  return {
    unlessClosed: (task) => async () => {
      if (closed) return STORE_CLOSED
      const outcome = task()
      running.add(outcome)
      try {
        return await outcome
      } finally {
        running.delete(outcome)
      }
    },
    close: async () => {
      closed = true
      while (running.size > 0) await Promise.allSettled(running)
    },
  }
}
