import { setTimeout } from 'node:timers/promises'
import { expect } from 'chai'
import type { Runner } from '../../testkit/runner.ts'

/** The cases of a contract that must catch a mutation: titles, or a pattern for the titles of a family. */
type Cases = string | RegExp | ReadonlyArray<string | RegExp>

/** One row of a table: the defect, the cases that must catch it, and the function that causes it. */
export type Mutation<Mutate> = Readonly<{ broken: string; cases: Cases; mutate: Mutate }>

/** The rows that the same cases catch. */
export const caughtBy = <Mutate>(
  cases: Cases,
  rows: Readonly<Record<string, Mutate>>,
): ReadonlyArray<Mutation<Mutate>> =>
  Object.entries(rows).map(([broken, mutate]) => ({ broken, cases, mutate }))

/** The titles of the cases of a row. Includes titles that the contract lacks. */
const named = (cases: Cases, titles: ReadonlyArray<string>): ReadonlyArray<string> =>
  [cases]
    .flat()
    .flatMap((one) => (typeof one === 'string' ? [one] : titles.filter((title) => one.test(title))))

/**
 * Tests a contract: a correct adapter passes every case, each mutation fails the cases that its row names, and each case
 * catches at least one mutation.
 *
 * @param contract registers the cases with this runner, for the correct adapter or a mutation of it
 * @param options.hangMs a case that waits longer than this catches the mutation
 * @param options.isExact each mutation passes all cases that its row does not name
 */
export const proveContract = <Mutate>(
  contract: (runner: Runner, mutate?: Mutate) => void,
  mutations: ReadonlyArray<Mutation<Mutate>>,
  { hangMs, isExact = false }: Readonly<{ hangMs?: number; isExact?: boolean }> = {},
): void => {
  const casesFor = (mutate?: Mutate): ReadonlyArray<readonly [title: string, run: () => Promise<void>]> => {
    const cases: Array<readonly [string, () => Promise<void>]> = []
    contract({ describe: (_, body) => body(), it: (title, run) => cases.push([title, run]) }, mutate)
    return cases
  }
  const titles = casesFor().map(([title]) => title)

  for (const { broken, cases, mutate } of mutations) {
    it(`catches an adapter that ${broken}`, async () => {
      const caughtBy = named(cases, titles)
      const failed: Array<string> = []
      for (const [title, run] of casesFor(mutate)) {
        if (!isExact && !caughtBy.includes(title)) continue
        if (!(await passes(run, hangMs))) failed.push(title)
      }
      expect(failed).to.have.members(caughtBy)
    })
  }

  it('passes a correct adapter', async () => {
    for (const [title, run] of casesFor()) {
      await run().catch((error: unknown) => {
        throw new Error(title, { cause: error })
      })
    }
  })

  it('gives each case a unique title', () => {
    expect(titles).to.deep.equal([...new Set(titles)])
  })

  it('has a mutation for each case and a case for each mutation', () => {
    const caught = mutations.map(({ broken, cases }) => ({ broken, titles: named(cases, titles) }))
    const all = new Set(caught.flatMap(({ titles }) => titles))
    expect({
      'cases that no mutation proves': titles.filter((title) => !all.has(title)),
      'titles that no case has': [...all].filter((title) => !titles.includes(title)),
      'mutations that name no case': caught
        .filter((row) => row.titles.length === 0)
        .map(({ broken }) => broken),
    }).to.deep.equal({
      'cases that no mutation proves': [],
      'titles that no case has': [],
      'mutations that name no case': [],
    })
  })
}

const passes = (run: () => Promise<void>, hangMs?: number): Promise<boolean> => {
  const outcome = run().then(
    () => true,
    () => false,
  )
  return hangMs === undefined ? outcome : Promise.race([outcome, setTimeout(hangMs, false)])
}
