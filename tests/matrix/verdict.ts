/** The result of the tests on one Node.js version. */
export type Tried =
  | Readonly<{ _tag: 'NotHad'; wanted: string; why: string }>
  | Readonly<{
      _tag: 'Ran'
      /** As `node --version` prints it: v22.23.3. */
      version: string
      /** The exit status of `make test-all`, or `null` after a signal. */
      status: number | null
      /** The lines that the test reporter appended to the file in TEST_REPORT, one for each run. */
      report: string
    }>

type Counts = Readonly<{ passes: number; failures: number; pending: number }>

/** Success requires passed tests: a run that ended before the first test proves nothing. */
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
  // If tests failed, the counts show it. Otherwise another step failed.
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
