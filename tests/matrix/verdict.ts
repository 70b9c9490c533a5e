/** What came of the tests on one Node. */
export type Tried =
  | Readonly<{ _tag: 'NotHad'; wanted: string; why: string }>
  | Readonly<{
      _tag: 'Ran'
      /** As it says itself: v22.23.3. */
      version: string
      /** The exit status of `make test-all`; `null` when a signal ended it. */
      status: number | null
      /** The lines that the reporter of the tests has added to the file in TEST_REPORT, one for each run. */
      report: string
    }>

type Counts = Readonly<{ passes: number; failures: number; pending: number }>

/** That all is well needs tests that passed: a run that was over before the first one proves nothing. */
export const isWell = (tried: Tried): boolean => {
  if (tried._tag === 'NotHad' || tried.status !== 0) return false
  const { passes, failures } = countsOf(tried.report)
  return passes > 0 && failures === 0
}

/** One line for people. */
export const lineOf = (tried: Tried): string => {
  if (tried._tag === 'NotHad') return `Node ${tried.wanted}: not tested, for ${tried.why}`
  const { passes, failures, pending } = countsOf(tried.report)
  const counted = `Node ${tried.version.replace('v', '')}: ${passes} passed, ${failures} failed, ${pending} skipped`
  // Where tests failed, the counts say it; otherwise something else did, before, between or after them.
  return isWell(tried) || failures > 0 ? counted : `${counted}, and ${endOf(tried.status)}`
}

const endOf = (status: number | null): string =>
  status === null ? 'make test-all was ended by a signal' : `make test-all ended with status ${status}`

const countsOf = (report: string): Counts => {
  const runs: ReadonlyArray<Counts> = report
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line))
  const sum = (name: keyof Counts): number => runs.reduce((total, run) => total + run[name], 0)
  return { passes: sum('passes'), failures: sum('failures'), pending: sum('pending') }
}
