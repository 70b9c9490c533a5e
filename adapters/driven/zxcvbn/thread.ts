import { parentPort } from 'node:worker_threads'
import type { PasswordEstimate } from '../../../domain/password-policy.ts'
import { estimate } from './estimate.ts'

/** The other side of estimator.ts: texts in, and one after the other their estimates out, or none where zxcvbn threw. */
export type Question = Readonly<{ id: number; text: string }>
export type Reply = Readonly<{ id: number; estimate: PasswordEstimate | undefined }>

parentPort?.on('message', ({ id, text }: Question) => {
  const reply: Reply = { id, estimate: estimateOrNot(text) }
  parentPort?.postMessage(reply)
})

/** One text that it cannot cope with must not take the estimates of all others with it. */
function estimateOrNot(text: string): PasswordEstimate | undefined {
  try {
    return estimate(text)
  } catch {
    return undefined
  }
}
