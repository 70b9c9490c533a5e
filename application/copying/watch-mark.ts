import { isLeft } from 'fp-ts/lib/Either.js'
import type { CopyMark, StoreCopy } from '../ports/store-copy.ts'

/** A mark that closes a store. */
export type ClosingMark = Exclude<CopyMark, { state: 'open' }>

/** Watches the mark of a store once a second, from `start` on. A store that does not answer is asked again. */
export type MarkWatch = Readonly<{
  /** Resolves with the mark when a copy has closed the store, and else never. */
  closed: Promise<ClosingMark>
  start: () => void
  /** Resolves after the last question. */
  stop: () => Promise<void>
}>

/** @param every repeats work until its result is called */
export const watchMark = (
  { readMark }: Pick<StoreCopy, 'readMark'>,
  every: (milliseconds: number, work: () => void) => () => void,
): MarkWatch => {
  let close: (mark: ClosingMark) => void
  const closed = new Promise<ClosingMark>((resolve) => {
    close = resolve
  })
  let asking: Promise<void> | undefined
  const ask = async (): Promise<void> => {
    const mark = await readMark()()
    if (!isLeft(mark) && mark.right.state !== 'open') close(mark.right)
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
