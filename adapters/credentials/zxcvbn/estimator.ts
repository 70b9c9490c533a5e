import { extname } from 'node:path'
import { Worker } from 'node:worker_threads'
import * as E from 'fp-ts/lib/Either.js'
import type { Overloaded, PasswordCheckUnavailable } from '../../../application/ports/failures.ts'
import type { PasswordEstimator } from '../../../application/ports/password-strength.ts'
import type { PasswordEstimate } from '../../../domain/password-policy.ts'
import type { Question, Reply } from './thread.ts'

/**
 * zxcvbn in a worker thread, because an estimate can take 100 ms and would block the service. The thread starts with
 * the first estimate, because it loads a quarter of a million words. An idle thread does not keep the process alive.
 *
 * @param options.script the module that the thread runs, by default the one beside this. A bundle has it elsewhere
 * @param options.timeoutMs a thread that answers nothing for so long, its start included, is terminated
 */
export const zxcvbnEstimator = ({
  script = THREAD,
  timeoutMs = TIMEOUT_MS,
}: Readonly<{ script?: URL; timeoutMs?: number | undefined }> = {}): PasswordEstimator => {
  const waiting = new Map<number, (outcome: Outcome) => void>()
  let thread: Worker | undefined
  let asked = 0
  let answered = 0
  let isWatched = false

  /**
   * Terminates a thread that has answered nothing in the time. Its callers get an error, and the next estimate starts
   * a new thread.
   */
  const watch = (watched: Worker): void => {
    const before = answered
    isWatched = true
    setTimeout(() => {
      if (thread !== watched) return
      isWatched = false
      if (waiting.size === 0) return
      if (answered === before) void watched.terminate()
      else watch(watched)
    }, timeoutMs).unref()
  }

  const begin = (): Worker => {
    const begun = new Worker(script)
    const end = (reason: string): void => {
      if (thread !== begun) return
      thread = undefined // the next estimate starts a new one
      isWatched = false
      for (const resolve of waiting.values()) resolve(E.left({ _tag: 'PasswordCheckUnavailable', reason }))
      waiting.clear()
    }
    begun.on('message', ({ id, estimate }: Reply) => {
      answered += 1
      waiting.get(id)?.(
        estimate === undefined
          ? E.left({ _tag: 'PasswordCheckUnavailable', reason: 'the estimator failed' })
          : E.right(estimate),
      )
      waiting.delete(id)
      if (waiting.size === 0) begun.unref()
    })
    begun.on('error', ({ name }: Error) => end(`the estimator failed (${name})`))
    begun.on('exit', () => end('the estimator ended'))
    return begun
  }

  return {
    estimate: (text) => async () => {
      if (waiting.size >= MAX_WAITING) return E.left({ _tag: 'Overloaded', retryAfterSeconds: 1 })
      try {
        thread ??= begin()
      } catch {
        return E.left({ _tag: 'PasswordCheckUnavailable', reason: 'the estimator cannot be started' })
      }
      thread.ref()
      if (!isWatched) watch(thread)
      asked += 1
      const question: Question = { id: asked, text }
      const outcome = new Promise<Outcome>((resolve) => waiting.set(question.id, resolve))
      thread.postMessage(question)
      return outcome
    },

    close: async () => {
      await thread?.terminate()
    },
  }
}

type Outcome = E.Either<PasswordCheckUnavailable | Overloaded, PasswordEstimate>

/** The last one waits three seconds at worst, and usually less than one. */
const MAX_WAITING = 32

/** Starting takes half a second, and longer on a busy machine. */
const TIMEOUT_MS = 15_000

const THREAD = new URL(`thread${extname(import.meta.url)}`, import.meta.url)
