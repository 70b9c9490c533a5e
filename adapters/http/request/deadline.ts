import type { IncomingMessage } from 'node:http'
import type { Task } from 'fp-ts/lib/Task.js'
import type { StoreUnavailable } from '../../../application/ports/failures.ts'

/**
 * The deadline of one request (docs/contract.md §1.10). Its time is what the server needs: while the body arrives, it stands still,
 * because slow clients have a limit of their own (docs/wire.md §3).
 */
export type Deadline = Readonly<{
  /**
   * Runs `answer`, and returns its result. After the deadline it returns what `late` makes of the failure, and ignores the result.
   *
   * @param waitMs how long the request asks to wait, in milliseconds
   */
  limit: <A>(answer: Task<A>, late: (failure: StoreUnavailable) => A, waitMs?: number) => Task<A>
  /** Returns `read`, which waits for the rest of the body. */
  whileArriving: <A>(message: Pick<IncomingMessage, 'complete'>, read: Task<A>) => Task<A>
  /** See `RequestContext`. */
  beginCommit: () => boolean
  /** Calls `act` when the deadline passes. Only the last `act` is called. */
  onLate: (act: () => void) => void
}>

/** Calls `act` once after this time, unless the returned function is called before. */
export type StartTimer = (act: () => void, milliseconds: number) => () => void

/** @param startTimer another one for tests */
export const deadline = (startTimer: StartTimer = startNodeTimer): Deadline => {
  let state: 'waiting' | 'running' | 'answered' | 'late' = 'waiting'
  let hasCommitBegun = false
  let remainingMs = 0
  let startedAt = 0
  let stop = nothing
  let expire = nothing
  let onLate = nothing

  const start = (): void => {
    startedAt = performance.now()
    stop = startTimer(expire, remainingMs)
  }

  return {
    limit:
      (answer, late, waitMs = 0) =>
      () =>
        new Promise((resolve, reject) => {
          remainingMs = DEADLINE_MS + waitMs
          expire = () => {
            state = 'late'
            resolve(late(hasCommitBegun ? LATE_COMMIT : LATE))
            onLate()
          }
          const end = (): void => {
            stop()
            if (state === 'running') state = 'answered'
          }
          state = 'running'
          start()
          // After the deadline, the promise ignores the result.
          answer().then(
            (result) => {
              end()
              resolve(result)
            },
            (error) => {
              end()
              reject(error)
            },
          )
        }),
    whileArriving: (message, read) => {
      if (message.complete) return read
      return async () => {
        stop()
        remainingMs -= performance.now() - startedAt
        const result = await read()
        if (state === 'running') start()
        return result
      }
    },
    beginCommit: () => {
      if (state === 'late') return false
      hasCommitBegun = true
      return true
    },
    onLate: (act) => {
      onLate = act
    },
  }
}

/** Clients and proxies often wait for 30 seconds, so that they get this response before they give up. */
const DEADLINE_MS = 10_000

const LATE: StoreUnavailable = {
  _tag: 'StoreUnavailable',
  reason: 'no answer before the deadline; no commit had begun',
}
const LATE_COMMIT: StoreUnavailable = {
  _tag: 'StoreUnavailable',
  reason: 'no answer before the deadline; a commit had begun',
  outcome: 'unknown',
}

const nothing = (): void => undefined

/** A timer of Node.js. */
export const startNodeTimer: StartTimer = (act, milliseconds) => {
  const timer = setTimeout(act, milliseconds)
  return () => clearTimeout(timer)
}
