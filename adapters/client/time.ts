/** Where the client gets the time from. Tests pass another one. */
export type Time = Readonly<{
  /** Milliseconds since 1970. */
  now(): number
  /** Milliseconds of a clock that is never set. */
  elapsed(): number
  /** Calls `act` once after this time, unless the returned function is called before. */
  startTimer(act: () => void, ms: number): () => void
}>

export const systemTime: Time = {
  now: () => Date.now(),
  elapsed: () => performance.now(),
  startTimer: (act, ms) => {
    const timer = setTimeout(act, ms)
    return () => clearTimeout(timer)
  },
}
