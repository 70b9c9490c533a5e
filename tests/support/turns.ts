const AT_ONCE = 20

/** Works on some items at once, then on the next ones. The results are in the order of the items. */
export const inTurns = async <A>(
  items: ReadonlyArray<unknown>,
  work: (index: number) => Promise<A>,
): Promise<ReadonlyArray<A>> => {
  const results: Array<A> = []
  for (let begin = 0; begin < items.length; begin += AT_ONCE) {
    const batch = items.slice(begin, begin + AT_ONCE).map((_, index) => work(begin + index))
    results.push(...(await Promise.all(batch)))
  }
  return results
}

/** Turns of the event loop, so that the two sides of a race meet in many ways. */
export const turns = async (count: number): Promise<void> => {
  for (let left = count; left > 0; left -= 1) await new Promise(setImmediate)
}
