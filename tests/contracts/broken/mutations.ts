import { setTimeout } from 'node:timers/promises'
import { expect } from 'chai'
import type { Runner } from '../runner.ts'

/** One promise broken: a sentence, the methods that replace those of a good adapter, and the cases that catch it. */
export type Mutation<Adapter> = readonly [
  breaks: string,
  override: (good: Adapter) => Partial<Adapter>,
  ...caughtBy: ReadonlyArray<string>,
]

/**
 * Tests a contract: it passes the good adapter, catches each mutation of it, and has no case that catches nothing.
 *
 * @param contractFor registers the contract with this runner; it passes each adapter that it opens through `mutate`
 */
export const catchesMutations = <Adapter extends object>(
  contractFor: (runner: Runner, mutate: (good: Adapter) => Adapter) => void,
  mutations: ReadonlyArray<Mutation<Adapter>>,
): void => {
  const casesWith = (mutate: (good: Adapter) => Adapter) => {
    const cases: Array<Readonly<{ name: string; run: () => Promise<void> }>> = []
    contractFor({ describe: (_, body) => body(), it: (name, run) => cases.push({ name, run }) }, mutate)
    return cases
  }
  const failing = async (
    mutate: (good: Adapter) => Adapter,
    names: ReadonlyArray<string>,
    patienceMs?: number,
  ) => {
    const failed: Array<string> = []
    for (const { name, run } of casesWith(mutate))
      if (names.includes(name) && !(await passes(run, patienceMs))) failed.push(name)
    return failed
  }
  const names = casesWith((good) => good).map(({ name }) => name)

  for (const [breaks, override, ...caughtBy] of mutations) {
    it(`it catches one that ${breaks}`, async () => {
      const failed = await failing((good) => ({ ...good, ...override(good) }), caughtBy, PATIENCE_MS)
      expect(failed).to.have.members([...caughtBy])
    })
  }

  it('it lets pass the good one', async () => {
    expect(await failing((good) => good, names)).to.deep.equal([])
  })

  it('each of its cases has its own name and catches a mutation', () => {
    const needed = new Set(mutations.flatMap(([, , ...caughtBy]) => caughtBy))
    expect([...needed].sort()).to.deep.equal([...names].sort())
  })
}

/** Whether a case passes. One of a mutant that waits longer than this waits for what never comes. */
const passes = (run: () => Promise<void>, patienceMs?: number): Promise<boolean> => {
  const outcome = run().then(
    () => true,
    () => false,
  )
  return patienceMs === undefined ? outcome : Promise.race([outcome, setTimeout(patienceMs, false)])
}

const PATIENCE_MS = 1_000
