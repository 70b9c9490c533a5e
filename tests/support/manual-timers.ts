import type { StartTimer } from '../../adapters/http/request/deadline.ts'

/** Timers of deadlines that pass when a test says so. */
export type ManualTimers = Readonly<{
  startTimer: StartTimer
  /** How long each running timer was set to, in milliseconds. */
  running: () => ReadonlyArray<number>
  /** Lets every running timer end. */
  pass: () => void
}>

export const manualTimers = (): ManualTimers => {
  const timers = new Map<symbol, Readonly<{ act: () => void; milliseconds: number }>>()
  return {
    startTimer: (act, milliseconds) => {
      const id = Symbol('timer')
      timers.set(id, { act, milliseconds })
      return () => timers.delete(id)
    },
    running: () => [...timers.values()].map(({ milliseconds }) => milliseconds),
    pass: () => {
      const ended = [...timers.values()]
      timers.clear()
      for (const { act } of ended) act()
    },
  }
}
