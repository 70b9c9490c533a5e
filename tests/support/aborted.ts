import { once } from 'node:events'
import { expect } from 'chai'

/** Resolves when the signal of an HTTP request is aborted. It is the platform's own `AbortSignal`. */
export const aborted = async (signal: unknown): Promise<void> => {
  expect(signal).to.be.instanceOf(AbortSignal)
  if (signal instanceof AbortSignal && !signal.aborted) await once(signal, 'abort')
}
