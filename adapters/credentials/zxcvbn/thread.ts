import { parentPort } from 'node:worker_threads'
import type { PasswordEstimate } from '../../../domain/password-policy.ts'
import { estimate } from './estimate.ts'

/**
 * The worker thread of estimator.ts. It receives texts, and answers with their estimates in order, or undefined if
 * zxcvbn throws.
 */
export type Question = Readonly<{ id: number; text: string }>
export type Reply = Readonly<{ id: number; estimate: PasswordEstimate | undefined }>

parentPort?.on('message', ({ id, text }: Question) => {
  const reply: Reply = { id, estimate: estimateOrNot(text) }
  parentPort?.postMessage(reply)
})

/** A text that makes zxcvbn throw must not end the thread and its other estimates. */
function estimateOrNot(text: string): PasswordEstimate | undefined {
  try {
    return estimate(text)
  } catch {
    return undefined
  }
}
