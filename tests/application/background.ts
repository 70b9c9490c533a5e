import type { Task } from 'fp-ts/lib/Task.js'
import type { Background } from '../../application/ports/background.ts'
import type { SettableClock } from './fakes.ts'

/** A `Background` that runs its tasks only when a test says so. */
export type DrivenBackground = Background & {
  /** Whether it is full, so that `run` returns false. */
  full: boolean
  /** The number of waiting tasks. */
  waiting: () => number
  /** Runs all waiting tasks, and the tasks that they add. */
  settle: () => Promise<void>
  /** Moves the clock, and runs the delayed tasks that become due. */
  passSeconds: (seconds: number) => Promise<void>
}

export const drivenBackground = (clock: SettableClock): DrivenBackground => {
  let waiting: ReadonlyArray<Task<void>> = []
  let putOff: ReadonlyArray<Readonly<{ at: number; task: Task<void> }>> = []
  let closed = false

  const settle = async (): Promise<void> => {
    while (waiting.length > 0) {
      const batch = waiting
      waiting = []
      await Promise.all(batch.map((task) => task()))
    }
  }

  const background: DrivenBackground = {
    full: false,
    run: (task) => {
      if (closed || background.full) return false
      waiting = [...waiting, task]
      return true
    },
    after: (milliseconds, task) => {
      if (!closed) putOff = [...putOff, { at: clock.read() + milliseconds, task }]
    },
    close: async () => {
      await settle()
      closed = true
      const [last, none] = [putOff, []]
      putOff = none
      await Promise.all(last.map(({ task }) => task()))
    },
    waiting: () => waiting.length,
    settle,
    passSeconds: async (seconds) => {
      const end = clock.read() + seconds * 1000
      for (;;) {
        await settle()
        const [next] = putOff.filter(({ at }) => at <= end).sort((one, other) => one.at - other.at)
        if (next === undefined) break
        putOff = putOff.filter((one) => one !== next)
        clock.passSeconds(Math.max(0, next.at - clock.read()) / 1000)
        await next.task()
      }
      clock.passSeconds((end - clock.read()) / 1000)
    },
  }
  return background
}
