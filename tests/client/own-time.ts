import { setImmediate } from 'node:timers/promises'
import type { Time } from '../../adapters/client/time.ts'
import { eventually } from '../support/eventually.ts'

/** A time for a client, which passes only as a test says. */
export type OwnTime = Time &
  Readonly<{
    /** The length of each timer that was skipped, in milliseconds. */
    skipped: Array<number>
    /** The length of each timer that runs, in milliseconds. */
    running: () => ReadonlyArray<number>
    /** Lets time pass, and the timers that end in it. */
    pass: (milliseconds: number) => void
    /** Ends the timers of this length before their time. Timers of a real event loop are not exact either. */
    ring: (milliseconds: number) => void
    /** Resolves when such a timer runs. */
    waits: (milliseconds: number) => Promise<true>
  }>

/** Decides by the length of a timer, and of those that run. */
type Skips = (milliseconds: number, running: ReadonlyArray<number>) => boolean

/** The pauses of a call are shorter than its time limit. */
const isPause: Skips = (milliseconds) => milliseconds <= 5_000

/** A pause of `events` has a limit of its own, which is a second longer. */
export const isPauseOfEvents: Skips = (milliseconds, running) =>
  milliseconds <= 1_000 || running.includes(milliseconds + 1_000)

/** @param skips which timers end at once: time passes by their length. By default, the pauses of calls. */
export const ownTime = (skips: Skips = isPause): OwnTime => {
  const timers = new Map<symbol, Readonly<{ act: () => void; endsAt: number; milliseconds: number }>>()
  const skipped: Array<number> = []
  let now = Date.parse('2026-11-20T12:00:00Z')

  const running = () => [...timers.values()].map(({ milliseconds }) => milliseconds)
  const pass = (milliseconds: number): void => {
    now += milliseconds
    for (const [id, { act, endsAt }] of timers) {
      if (endsAt > now) continue
      timers.delete(id)
      act()
    }
  }
  return {
    now: () => now,
    elapsed: () => now,
    startTimer: (act, milliseconds) => {
      const id = Symbol('timer')
      timers.set(id, { act, endsAt: now + milliseconds, milliseconds })
      if (skips(milliseconds, running())) {
        skipped.push(milliseconds)
        setImmediate().then(() => timers.has(id) && pass(milliseconds))
      }
      return () => timers.delete(id)
    },
    skipped,
    running,
    pass,
    ring: (milliseconds) => {
      for (const [id, timer] of timers) {
        if (timer.milliseconds !== milliseconds) continue
        timers.delete(id)
        timer.act()
      }
    },
    waits: (milliseconds) =>
      eventually(`a timer of ${milliseconds} ms`, async () => running().includes(milliseconds) || undefined),
  }
}
