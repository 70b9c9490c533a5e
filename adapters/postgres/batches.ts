/** What waits together is done together: a round trip and a commit cost the same for one as for many. */
export type Batches<Item, Outcome> = Readonly<{
  /** Resolves with what became of it. Whoever finds too many waiting is told at once. */
  add: (item: Item) => Promise<Outcome>
  /** Resolves when nothing waits any more. */
  drained: () => Promise<void>
}>

/**
 * One batch at a time; what comes meanwhile is the next.
 *
 * @param work never rejects; its outcomes are in the order of the items
 * @param full what is said when too many wait
 */
export const inBatches = <Item, Outcome>(
  work: (items: ReadonlyArray<Item>) => Promise<ReadonlyArray<Outcome>>,
  full: Outcome,
): Batches<Item, Outcome> => {
  const waiting: Array<Readonly<{ item: Item; answer: (outcome: Outcome) => void }>> = []
  let working: Promise<void> | undefined

  const workOff = async (): Promise<void> => {
    await new Promise(setImmediate) // so that what arrives in one turn of the event loop goes together
    while (waiting.length > 0) {
      const batch = waiting.splice(0, MAX_BATCH)
      const outcomes = await work(batch.map(({ item }) => item))
      for (const [index, { answer }] of batch.entries()) answer(outcomes[index] as Outcome)
    }
    working = undefined
  }

  return {
    add: (item) =>
      new Promise((answer) => {
        if (waiting.length >= MAX_WAITING) return answer(full)
        waiting.push({ item, answer })
        working ??= workOff()
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
