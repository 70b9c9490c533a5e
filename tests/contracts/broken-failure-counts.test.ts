import { expect } from 'chai'
import { memoryFailureCounts } from '../../adapters/memory/failure-counts.ts'
import { BROKEN_UPDATES } from './broken/counted.ts'
import { BROKEN_BOUNDS, BROKEN_CONCURRENCY, BROKEN_KEYS } from './broken/counted-keys.ts'
import { BROKEN_ENDS } from './broken/counts-closing.ts'
import type { BrokenCounts } from './broken/failure-counts.ts'
import { failureCountsContract } from './failure-counts.ts'

const BROKEN: ReadonlyArray<BrokenCounts> = [
  ...BROKEN_UPDATES,
  ...BROKEN_KEYS,
  ...BROKEN_CONCURRENCY,
  ...BROKEN_BOUNDS,
  ...BROKEN_ENDS,
]

describe('the contract of FailureCounts is a contract', () => {
  for (const { breaks, caughtBy, open } of BROKEN) {
    it(`it catches counts that ${breaks}`, async () => {
      expect(await failing(open, (name) => caughtBy.includes(name))).to.have.members([...caughtBy])
    })
  }

  it('it lets counts pass that keep every promise', async () => {
    expect(await failing(memoryFailureCounts)).to.deep.equal([])
  })

  it('every case of it has a name of its own', () => {
    const names = casesFor(memoryFailureCounts).map(({ name }) => name)
    expect(new Set(names).size).to.equal(names.length)
  })

  it('every case of it is there to catch one of these', () => {
    const names = casesFor(memoryFailureCounts).map(({ name }) => name)
    const needed = new Set(BROKEN.flatMap(({ caughtBy }) => caughtBy))
    expect([...needed].sort()).to.deep.equal([...names].sort())
  })
})

type Case = Readonly<{ name: string; run: () => Promise<void> }>

/** The contract's cases, collected instead of run. */
const casesFor = (open: BrokenCounts['open']): ReadonlyArray<Case> => {
  const cases: Array<Case> = []
  failureCountsContract(
    { describe: (_, body) => body(), it: (name, run) => cases.push({ name, run }) },
    async (clock, keptAtMost) => ({ counts: open(clock, keptAtMost) }),
  )
  return cases
}

/** The names of the cases that fail on such counts, of those that matter. */
const failing = async (
  open: BrokenCounts['open'],
  matters: (name: string) => boolean = () => true,
): Promise<ReadonlyArray<string>> => {
  const failed: Array<string> = []
  for (const { name, run } of casesFor(open)) {
    if (!matters(name)) continue
    try {
      await run()
    } catch {
      failed.push(name)
    }
  }
  return failed
}
