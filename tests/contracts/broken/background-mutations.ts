import type { Task } from 'fp-ts/lib/Task.js'
import type { Background } from '../../../application/ports/background.ts'
import type { PortMutation } from './port-mutations.ts'

const AFTER_THE_ANSWER = 'begins after what is being answered now'
const ONCE_IF_TAKEN = 'is run once if it was taken, and otherwise never'
const WHEN_OVER = 'is done when the time is over, once'
const IN_ORDER = 'is done in the order of its times'
const WAITS = 'waits for all running tasks'
const AT_THE_END = 'runs each delayed task once'
const AT_THE_LAST = 'comes after tasks that running work puts off'
const NOTHING_AFTERWARDS = 'lets no task begin afterwards'
const SEVERAL_TIMES = 'may be asked for several times'

const twice =
  (task: Task<void>): Task<void> =>
  async () => {
    await task()
    await task()
  }

/** The task, unless an earlier one has failed. */
const stoppedByFailures = () => {
  let hasFailed = false
  return (task: Task<void>): Task<void> =>
    async () => {
      if (hasFailed) return
      try {
        await task()
      } catch {
        hasFailed = true
      }
    }
}

export const BACKGROUND_MUTATIONS: ReadonlyArray<PortMutation<Background>> = [
  [
    'begins at once',
    () => ({
      run: (task) => {
        void task()
        return true
      },
    }),
    AFTER_THE_ANSWER,
  ],
  ['runs twice', ({ run }) => ({ run: (task) => run(twice(task)) }), ONCE_IF_TAKEN],
  [
    'has no room again after it was full',
    ({ run }) => {
      let isFull = false
      return {
        run: (task) => {
          isFull ||= !run(task)
          return !isFull
        },
      }
    },
    'is taken again after too much work is done',
  ],
  [
    'runs nothing after a failure',
    ({ run }) => {
      const stopped = stoppedByFailures()
      return { run: (task) => run(stopped(task)) }
    },
    'a task that throws harms no other',
    'a task that rejects harms no other',
  ],
  [
    'does deferred work twice',
    ({ after }) => ({ after: (ms, task) => after(ms, twice(task)) }),
    WHEN_OVER,
    AT_THE_END,
  ],
  ['defers nothing', ({ run }) => ({ after: (_, task) => void run(task) }), 'is not done before', IN_ORDER],
  ['does not wait', ({ close }) => ({ close: async () => void close() }), WAITS],
  ['forgets deferred work', () => ({ after: () => undefined }), WAITS, AT_THE_END, AT_THE_LAST],
  [
    'defers work after the end',
    () => ({ after: (ms, task) => void setTimeout(task, ms) }),
    NOTHING_AFTERWARDS,
  ],
  [
    'cannot be closed twice',
    ({ close }) => {
      let isClosed = false
      return {
        close: async () => {
          if (isClosed) throw new Error('closed already')
          isClosed = true
          await close()
        },
      }
    },
    SEVERAL_TIMES,
  ],
]
