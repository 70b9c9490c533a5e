/**
 * Returns the shortest time from the start of a hash to the answer of a failed sign-in.
 *
 * It is a little above the time of the slowest scheme in use, so the time of an answer does not show the scheme of a record.
 * It is 0 if all schemes take the same time. It grows in coarse steps, so that noise in the measurement rarely changes it.
 *
 * @param durationsMs the time to verify a record, for each scheme in use
 */
export const answerAfterMs = (durationsMs: ReadonlyArray<number>): number => {
  const slowest = Math.max(0, ...durationsMs)
  if (durationsMs.every((one) => one === slowest)) return 0
  return Math.min(LONGEST_MS, STEP ** Math.ceil(Math.log(MARGIN * slowest) / Math.log(STEP)))
}

const MARGIN = 1.1
const STEP = 1.25

/** The upper limit: one very slow scheme must not delay the failed sign-ins of all accounts further. */
const LONGEST_MS = 10_000
