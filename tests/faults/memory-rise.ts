/** The warm-up, as a fraction of all samples: code is compiled, pools and page caches fill. */
const WARM_UP = 0.3

/** The number of windows whose medians are compared. Single samples vary with each garbage collection. */
const WINDOWS = 7

/**
 * The final rise of memory: from the lowest window after the warm-up to the last one. V8 returns much memory at times, so
 * the first window may be the highest.
 *
 * @param samples evenly spaced over the requests
 * @returns in the unit of the samples
 */
export const riseOf = (samples: ReadonlyArray<number>): number => {
  const warm = samples.slice(Math.floor(samples.length * WARM_UP))
  const medians = Array.from({ length: WINDOWS }, (_, index) =>
    medianOf(
      warm.slice(
        Math.floor((index * warm.length) / WINDOWS),
        Math.floor(((index + 1) * warm.length) / WINDOWS),
      ),
    ),
  )
  return (medians.at(-1) ?? Number.NaN) - Math.min(...medians)
}

const medianOf = (numbers: ReadonlyArray<number>): number =>
  numbers.toSorted((one, other) => one - other)[Math.floor(numbers.length / 2)] ?? Number.NaN
