/** Processes items that wait together in one batch. A round trip and a commit cost the same for one item and for many. */
export type Batches<Item, Outcome> = Readonly<{
  /** Resolves with the outcome of the item: `refused` if too many items wait, or if it has waited too long. */
  add: (item: Item) => Promise<Outcome>
  /** Resolves when no item waits. */
  drained: () => Promise<void>
}>

/**
 * Processes one batch at a time. Items that arrive meanwhile form the next batch.
 *
 * @param work never rejects; it returns the outcomes in the order of the items. The next batch does not wait for those that are promises.
 * @param refused the outcome of an item that was not processed
 * @param timeoutMs how long an item waits at most
 */
export const inBatches = <Item, Outcome>(
  work: (items: ReadonlyArray<Item>) => Promise<ReadonlyArray<Outcome | Promise<Outcome>>>,
  refused: Outcome,
  timeoutMs = TIMEOUT_MS,
): Batches<Item, Outcome> => {
  type Waiting = Readonly<{
    item: Item
    since: number
    answer: (outcome: Outcome | Promise<Outcome>) => void
  }>
  const waiting: Array<Waiting> = []
  let working: Promise<void> | undefined

  /** If batch after batch fails only after seconds, a late item would wait for all of them. */
  const refuseExpired = (): void => {
    const inTime = waiting.findIndex(({ since }) => performance.now() - since < timeoutMs)
    for (const { answer } of waiting.splice(0, inTime === -1 ? waiting.length : inTime)) answer(refused)
  }

  const processAll = async (): Promise<void> => {
    await new Promise(setImmediate) // collects the items of one turn of the event loop
    while (waiting.length > 0) {
      refuseExpired()
      const batch = waiting.splice(0, MAX_BATCH)
      if (batch.length === 0) break
      const outcomes = await work(batch.map(({ item }) => item))
      for (const [index, { answer }] of batch.entries()) answer(outcomes[index] as Outcome | Promise<Outcome>)
    }
    working = undefined
  }

  return {
    add: (item) =>
      new Promise((answer) => {
        if (waiting.length >= MAX_WAITING) return answer(refused)
        waiting.push({ item, since: performance.now(), answer })
        working ??= processAll()
      }),
    drained: async () => {
      while (working !== undefined) await working
    },
  }
}

/** Large enough to spread the cost of a commit, small enough to keep the statement short. */
const MAX_BATCH = 256

/** About a second of work. Beyond it, the caller gets an error at once. */
const MAX_WAITING = 4_096

/** Longer than the patience with an outage, and shorter than the deadline of a request. */
const TIMEOUT_MS = 7_000
