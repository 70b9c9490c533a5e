import { isLeft } from 'fp-ts/lib/Either.js'
import type { CopyState, StoreCopy } from '../ports/store-copy.ts'

/** The copy state that closes a store. */
export type ClosedState = Exclude<CopyState, { state: 'open' }>

/** Watches the copy state of a store once a second, from `start` on. A store that does not answer is asked again. */
export type CopyStateWatch = Readonly<{
  /** Resolves with the copy state when a copy has closed the store, and else never. */
  closed: Promise<ClosedState>
  start: () => void
  /** Resolves after the last question. */
  stop: () => Promise<void>
}>

/** @param every repeats work until its result is called */
export const watchCopyState = (
  { readCopyState }: Pick<StoreCopy, 'readCopyState'>,
  every: (milliseconds: number, work: () => void) => () => void,
): CopyStateWatch => {
  let close: (copyState: ClosedState) => void
  const closed = new Promise<ClosedState>((resolve) => {
    close = resolve
  })
  let asking: Promise<void> | undefined
  const ask = async (): Promise<void> => {
    const copyState = await readCopyState()()
    if (!isLeft(copyState) && copyState.right.state !== 'open') close(copyState.right)
  }
  let end = (): void => {}
  return {
    closed,
    start: () => {
      end = every(INTERVAL_MS, () => {
        asking ??= ask().finally(() => {
          asking = undefined
        })
      })
    },
    stop: async () => {
      end()
      await asking
    },
  }
}

const INTERVAL_MS = 1_000
