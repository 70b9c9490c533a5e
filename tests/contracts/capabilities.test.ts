import { expect } from 'chai'
import { failureCountsContract } from '../testkit/failure-counts.ts'
import { logTreeContract } from '../testkit/log-tree.ts'
import { passwordHasherContract } from '../testkit/password-hasher.ts'
import { protocolStateContract } from '../testkit/protocol-state.ts'
import type { Runner } from '../testkit/runner.ts'
import { storeContract } from '../testkit/store.ts'

const open = async (): Promise<never> => {
  throw new Error('no case runs here')
}

/** The suites with capabilities, and their names. */
const SUITES: ReadonlyArray<
  readonly [suite: string, contract: (runner: Runner, declared: object) => void, names: ReadonlyArray<string>]
> = [
  [
    'storeContract',
    (runner, declared) => storeContract(runner, open, declared),
    ['lasting', 'shared', 'failing', 'losing'],
  ],
  ['logTreeContract', (runner, declared) => logTreeContract(runner, open, declared), ['lasting', 'shared']],
  [
    'failureCountsContract',
    (runner, declared) => failureCountsContract(runner, open, declared),
    ['lasting', 'shared'],
  ],
  [
    'protocolStateContract',
    (runner, declared) => protocolStateContract(runner, open, declared),
    ['lasting', 'shared'],
  ],
  [
    'passwordHasherContract',
    (runner, declared) => passwordHasherContract(runner, open, declared),
    ['outdated', 'unreadable', 'inexact', 'oneAtATime', 'refusing'],
  ],
]

describe('a capability of an adapter', () => {
  for (const [suite, contract, names] of SUITES) {
    const register = (declared: ReadonlyArray<string>) => {
      const [cases, skipped]: [Array<string>, Array<string>] = [[], []]
      const it = Object.assign((name: string) => cases.push(name), {
        skip: (name: string) => skipped.push(name),
      })
      contract(
        { describe: (_, body) => body(), it },
        Object.fromEntries(declared.map((name) => [name, open])),
      )
      return { count: cases.length, skipped }
    }

    for (const name of names)
      it(`has its cases if it is declared, else one skipped case says so: ${suite}, ${name}`, () => {
        const [all, others] = [register(names), register(names.filter((one) => one !== name))]
        expect(all.skipped).to.deep.equal([])
        expect(others.skipped).to.deep.equal([`${name} is not declared, so its cases do not run`])
        expect(others.count).to.be.lessThan(all.count)
      })
  }

  it('is not mentioned to a runner that cannot skip', () => {
    const cases: Array<string> = []
    storeContract({ describe: (_, body) => body(), it: (name) => cases.push(name) }, open)
    expect(cases.filter((name) => name.includes('declared'))).to.deep.equal([])
  })
})
