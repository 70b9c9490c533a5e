/** What waits together is done together: a round trip and a commit cost the same for one as for many. */
export type Batches<Item, Outcome> = Readonly<{
  /** Resolves with what became of it. Whoever finds too many waiting is told at once, and who has waited too long, after that. */
  add: (item: Item) => Promise<Outcome>
  /** Resolves when nothing waits any more. */
  drained: () => Promise<void>
}>

/**
 * One batch at a time; what comes meanwhile is the next.
 *
 * @param work never rejects; its outcomes are in the order of the items
 * @param refused what is said of an item with which nothing was done: too many waited, or it waited too long
 * @param timeoutMs how long an item waits for its turn
 */
export const inBatches = <Item, Outcome>(
  work: (items: ReadonlyArray<Item>) => Promise<ReadonlyArray<Outcome>>,
  refused: Outcome,
  timeoutMs = TIMEOUT_MS,
): Batches<Item, Outcome> => {
  type Waiting = Readonly<{ item: Item; since: number; answer: (outcome: Outcome) => void }>
  const waiting: Array<Waiting> = []
  let working: Promise<void> | undefined

  /** Where one batch after the other fails after seconds, whoever came late would wait for all of them. */
  const refuseExpired = (): void => {
    const inTime = waiting.findIndex(({ since }) => performance.now() - since < timeoutMs)
    for (const { answer } of waiting.splice(0, inTime === -1 ? waiting.length : inTime)) answer(refused)
  }

  const processAll = async (): Promise<void> => {
    await new Promise(setImmediate) // so that what arrives in one turn of the event loop goes together
    while (waiting.length > 0) {
      refuseExpired()
      const batch = waiting.splice(0, MAX_BATCH)
      if (batch.length === 0) break
      const outcomes = await work(batch.map(({ item }) => item))
      for (const [index, { answer }] of batch.entries()) answer(outcomes[index] as Outcome)
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

/** Enough to spread one commit thin, and few enough that one statement stays short. */
const MAX_BATCH = 256

/** About a second of work. Beyond it, waiting is worse than being told to come back. */
const MAX_WAITING = 4_096

/** As long as the batch before may take that fails. */
const TIMEOUT_MS = 5_000
