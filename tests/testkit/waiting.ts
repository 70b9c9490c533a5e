/** Gives everything that is ready the turns to happen. */
export const settled = async (): Promise<void> => {
  for (let turn = 0; turn < 3; turn += 1) await new Promise((resolve) => setImmediate(resolve))
}

/**
 * What this resolves with. A failure after ten seconds, in which the process stays alive: a timer of the adapter need not keep it.
 */
export const awaited = <A>(promise: Promise<A>): Promise<A> =>
  awaitedFor(10_000, promise, 'it did not come within ten seconds')

/** The same after this many milliseconds, with this message. */
export const awaitedFor = async <A>(
  milliseconds: number,
  promise: Promise<A>,
  message: string,
): Promise<A> => {
  let alive: NodeJS.Timeout | undefined
  const tooLate = new Promise<never>((_, reject) => {
    alive = setTimeout(() => reject(new Error(message)), milliseconds)
  })
  try {
    return await Promise.race([promise, tooLate])
  } finally {
    clearTimeout(alive)
  }
}

/** A promise, and the function that resolves it. */
export const signal = () => {
  let give = (): void => undefined
  const given = new Promise<void>((resolve) => {
    give = () => resolve()
  })
  return { given, give: () => give() }
}
