import { extname } from 'node:path'
import { Worker } from 'node:worker_threads'
import * as E from 'fp-ts/lib/Either.js'
import type { Overloaded, PasswordCheckUnavailable } from '../../../application/ports/failures.ts'
import type { PasswordEstimator } from '../../../application/ports/password-strength.ts'
import type { PasswordEstimate } from '../../../domain/password-policy.ts'
import type { Question, Reply } from './thread.ts'

/**
 * zxcvbn in a thread of its own: an estimate may take it 100 ms, in which nothing else could be answered here. The
 * thread begins with the first estimate, for it loads a quarter of a million words, and keeps no process alive that waits
 * for none.
 *
 * @param options.script the module that the thread runs
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

  /** A thread that has said nothing for so long hangs: whoever waits is told, and the next estimate begins another one. */
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
      thread = undefined // the next estimate begins another one
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

/** The last of so many waits for three seconds at worst, and mostly for less than one. */
const MAX_WAITING = 32

/** Its start takes half a second, and more where the machine is busy. */
const TIMEOUT_MS = 15_000

const THREAD = new URL(`./thread${extname(import.meta.url)}`, import.meta.url)
