import type { Time } from './time.ts'

/** The bounds of one call: the signal of its caller, and the time limit. */
export type Limit = Readonly<{
  /** Aborts with the caller's signal, and when the time is over. */
  signal: AbortSignal
  /** Settles as the promise does, or rejects as soon as the call must end. It works with a `fetch` that ignores signals. */
  race<T>(promise: Promise<T>): Promise<T>
  /** Waits. Resolves at once with false if the time limit comes first. */
  pause(ms: number): Promise<boolean>
}>

/** The time limit is over. It never leaves the client. */
export const TIME_OVER = Symbol('the time limit is over')

/**
 * Runs a call within its limits. It rejects with the reason of the caller's signal, or with `TIME_OVER`.
 *
 * `AbortSignal.any` would keep each call in the memory of a signal that lives long, on some versions of Node.
 */
export const withinLimit = async <T>(
  { elapsed, startTimer }: Time,
  timeoutMs: number,
  caller: AbortSignal | undefined,
  run: (limit: Limit) => Promise<T>,
): Promise<T> => {
  caller?.throwIfAborted()
  const controller = new AbortController()
  const { signal } = controller
  const endsAt = elapsed() + timeoutMs
  const stopTimer = startTimer(() => controller.abort(TIME_OVER), timeoutMs)
  const abort = (): void => controller.abort(caller?.reason)
  caller?.addEventListener('abort', abort, { once: true })

  const race = <Value>(promise: Promise<Value>): Promise<Value> =>
    new Promise((resolve, reject) => {
      const end = (): void => reject(signal.reason)
      if (signal.aborted) end()
      signal.addEventListener('abort', end, { once: true })
      promise.then(resolve, reject).finally(() => signal.removeEventListener('abort', end))
    })

  const pause = async (ms: number): Promise<boolean> => {
    if (elapsed() + ms >= endsAt) return false
    let stopWaiting = (): void => {}
    try {
      await race(
        new Promise<void>((resolve) => {
          stopWaiting = startTimer(resolve, ms)
        }),
      )
      return true
    } catch (error) {
      // Timers are not exact, so the time limit may end a pause that should have been shorter.
      if (error === TIME_OVER) return false
      throw error
    } finally {
      stopWaiting()
    }
  }

  try {
    return await run({ signal, race, pause })
  } finally {
    stopTimer()
    caller?.removeEventListener('abort', abort)
  }
}
