import { expect } from 'chai'
import { commandOf, helpOf, type Plan, planText } from './plan.ts'

const ROWS = [
  { name: 'token', what: 'application token, beside a bare Koa' },
  { name: 'sign-in', what: 'sign-in, beside one scrypt' },
  { name: 'memory', what: 'memory, against a limit' },
]
const ALL: Plan = { names: ['token', 'sign-in', 'memory'], rounds: 5 }

describe('the command line of the benchmark', () => {
  const RUNS: ReadonlyArray<readonly [environment: Readonly<Record<string, string>>, plan: Plan]> = [
    [{}, ALL],
    [{ ROWS: '', BASE: '', ROUNDS: '' }, ALL],
    [{ ROWS: ' memory  token ' }, { names: ['token', 'memory'], rounds: 5 }],
    [{ ROUNDS: '12' }, { ...ALL, rounds: 12 }],
    [{ BASE: '../other' }, { ...ALL, base: '../other' }],
  ]
  for (const [environment, plan] of RUNS)
    it(`with ${JSON.stringify(environment)} measures ${plan.names.join(', ')} in ${plan.rounds} rounds`, () =>
      expect(commandOf([], environment, ROWS)).to.deep.equal({ kind: 'run', plan }))

  it('with --help asks for the help, even if ROWS is wrong', () =>
    expect(commandOf(['--help'], { ROWS: 'nothing' }, ROWS)).to.deep.equal({ kind: 'help' }))

  const WRONG: ReadonlyArray<
    readonly [words: ReadonlyArray<string>, environment: Readonly<Record<string, string>>, message: string]
  > = [
    [['token'], {}, 'Unknown argument: token. Set ROWS, BASE or ROUNDS, or use --help.'],
    [['--help', '--all'], {}, 'Unknown argument: --all. Set ROWS, BASE or ROUNDS, or use --help.'],
    [[], { ROWS: 'tokens sign-in' }, 'No such row: tokens. The rows are: token, sign-in, memory.'],
    ...['0', '-1', '1.5', 'abc'].map(
      (rounds) => [[], { ROUNDS: rounds }, `ROUNDS must be a whole number from 1, got "${rounds}".`] as const,
    ),
  ]
  for (const [words, environment, message] of WRONG)
    it(`refuses ${[...words, JSON.stringify(environment)].join(' ')}`, () =>
      expect(commandOf(words, environment, ROWS)).to.deep.equal({ kind: 'wrong', message }))
})

describe('the help of the benchmark', () => {
  it('names each variable and each row', () => {
    for (const text of ['ROWS=', 'BASE=', 'ROUNDS=', 'HELP=1', '  sign-in  sign-in, beside one scrypt'])
      expect(helpOf(ROWS)).to.contain(text)
  })
})

describe('the plan of the benchmark', () => {
  it('lists the rows, the rounds and the tree', () =>
    expect(planText({ names: ['token', 'memory'], rounds: 3 }, ROWS).split('\n')).to.deep.equal([
      'Measures 2 rows of 3:',
      '  token   application token, beside a bare Koa',
      '  memory  memory, against a limit',
      'Rounds: 3, after one that only warms up.',
      'Tree: this one only (BASE is not set).',
      'Duration: less than the fifteen minutes that all rows take with 5 rounds on two cores.',
      'Each noisy row is measured once more at the end.',
    ]))

  it('tells the duration only if it is known', () => {
    const CASES: ReadonlyArray<readonly [plan: Plan, duration: string | undefined]> = [
      [ALL, 'about fifteen'],
      [{ ...ALL, names: ['token'] }, 'less than the fifteen'],
      [{ ...ALL, rounds: 4 }, 'less than the fifteen'],
      [{ ...ALL, rounds: 6 }, undefined],
      [{ ...ALL, base: '/other' }, undefined],
    ]
    for (const [plan, duration] of CASES)
      expect(/Duration: (.*) minutes/.exec(planText(plan, ROWS))?.[1], JSON.stringify(plan)).to.equal(
        duration,
      )
  })

  it('names the other tree', () =>
    expect(planText({ ...ALL, base: '/other' }, ROWS)).to.contain('Trees: this one, and BASE, /other.'))
})
