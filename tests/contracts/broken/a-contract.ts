import { expect } from 'chai'
import type { Runner } from '../runner.ts'

/** An adapter that breaks one promise: which, and the cases of the contract that say so. */
export type BrokenOne<Open> = Readonly<{ breaks: string; caughtBy: ReadonlyArray<string>; open: Open }>

/**
 * The tests of a contract itself: it catches what breaks a promise, lets pass what keeps them all, and has no case that catches
 * nothing.
 *
 * @param what it is a contract of, in the words of a sentence
 * @param contractFor runs the contract, with this runner, on what this opens
 * @param honest keeps every promise
 */
export const provesToBeAContract = <Open>(
  what: string,
  contractFor: (runner: Runner, open: Open) => void,
  honest: Open,
  broken: ReadonlyArray<BrokenOne<Open>>,
): void => {
  /** The contract's cases, collected instead of run. */
  const casesFor = (open: Open) => {
    const cases: Array<Readonly<{ name: string; run: () => Promise<void> }>> = []
    contractFor({ describe: (_, body) => body(), it: (name, run) => cases.push({ name, run }) }, open)
    return cases
  }

  /** The names of the cases that fail, of those that matter. */
  const failing = async (open: Open, matters: (name: string) => boolean = () => true) => {
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

  for (const { breaks, caughtBy, open } of broken) {
    it(`it catches ${what} that ${breaks}`, async () => {
      expect(await failing(open, (name) => caughtBy.includes(name))).to.have.members([...caughtBy])
    })
  }

  it('it lets pass what keeps every promise', async () => {
    expect(await failing(honest)).to.deep.equal([])
  })

  it('every case of it has a name of its own', () => {
    const names = casesFor(honest).map(({ name }) => name)
    expect(new Set(names).size).to.equal(names.length)
  })

  it('every case of it is there to catch one of these', () => {
    const names = casesFor(honest).map(({ name }) => name)
    const needed = new Set(broken.flatMap(({ caughtBy }) => caughtBy))
    expect([...needed].sort()).to.deep.equal([...names].sort())
  })
}
