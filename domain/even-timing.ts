/**
 * How long after the work on its hash began a failed sign-in is answered, at the earliest: a little above what the slowest
 * record in use takes, so that no record shows by its time. 0 where all records take as long.
 *
 * It comes in coarse steps, for a measurement that moves it a little would move the answers of one kind before the others.
 *
 * @param durationsMs of verifying a record, for each way in which records in use were made
 */
export const answerAfterMs = (durationsMs: ReadonlyArray<number>): number => {
  const slowest = Math.max(0, ...durationsMs)
  if (durationsMs.every((one) => one === slowest)) return 0
  return Math.min(LONGEST_MS, STEP ** Math.ceil(Math.log(MARGIN * slowest) / Math.log(STEP)))
}

const MARGIN = 1.1
const STEP = 1.25

/** No record may keep failed sign-ins of all others waiting for longer. */
const LONGEST_MS = 10_000
