import { expect } from 'chai'
import { isNoisy, judged, lineOf, percentOf, quieterOf, tableOf } from './report.ts'
import { summarize } from './statistics.ts'

const MEASURED = {
  title: 'hello / profile',
  value: summarize([0.5, 0.6, 0.7]),
  aim: { better: 'higher', target: 0.65, floor: 0.55 },
  details: 'ours 50+5 µs',
  cpu: { ours: '50+5 µs', ceiling: '20+9 µs' },
  ceilingSpread: 0,
  againstBase: summarize([0.8]),
} as const

const NOISY = judged('profile', MEASURED, { busyBefore: 1, steal: 0.015 })
const QUIET = judged('profile', MEASURED, { busyBefore: 0, steal: 0 })

describe('the report of the benchmark', () => {
  it('tells the noise with the row', () =>
    expect(
      lineOf(NOISY)
        .split('\n')
        .map((line) => line.trim()),
    ).to.deep.equal([
      'profile          hello / profile: 0.60 (0.50–0.70), target 0.65, floor 0.55: too noisy to tell',
      'ours 50+5 µs',
      'ours/base 0.80',
      'noisy: other work kept the machine busy at 100 %',
    ]))

  it('has CPU times, steal, noise and repetition in its table', () => {
    const memory = judged(
      'memory',
      { title: 'memory', value: summarize([97]), unit: 'MB', details: '', ceilingSpread: 0 },
      { busyBefore: 0, steal: 0 },
    )
    expect(
      tableOf([QUIET, ...quieterOf([NOISY], [NOISY]), ...quieterOf([NOISY], [QUIET]), memory]).split('\n'),
    ).to.deep.equal([
      'row              value (quartiles)  target  floor  ours/base  CPU ours  CPU ceiling  steal  verdict',
      'hello / profile  0.60 (0.50–0.70)   0.65    0.55   0.80       50+5 µs   20+9 µs      0.0 %  above the floor',
      'hello / profile  0.60 (0.50–0.70)   0.65    0.55   0.80       50+5 µs   20+9 µs      1.5 %  too noisy to tell (noisy; repeated, the first counts)',
      'hello / profile  0.60 (0.50–0.70)   0.65    0.55   0.80       50+5 µs   20+9 µs      0.0 %  above the floor (repeated, the second counts)',
      'memory           97.0 MB            –       –      –          –         –            0.0 %  no target',
    ])
  })

  it('writes shares with one decimal', () => {
    for (const [share, text] of [
      [0, '0.0 %'],
      [0.0149, '1.5 %'],
      [1, '100.0 %'],
    ] as const)
      expect(percentOf(share)).to.equal(text)
  })
})

describe('a repeated row', () => {
  const other = { ...QUIET, title: 'another line' }

  it('is one of which any line is noisy', () => {
    expect(isNoisy([])).to.equal(false)
    expect(isNoisy([QUIET, other])).to.equal(false)
    expect(isNoisy([QUIET, NOISY])).to.equal(true)
  })

  const better = judged(
    'profile',
    { ...MEASURED, value: summarize([0.9, 0.9, 0.9]) },
    { busyBefore: 1, steal: 0.1 },
  )
  for (const [what, first, second, chosen] of [
    ['the second if it is quieter', NOISY, QUIET, { ...QUIET, repeated: 'second' }],
    ['the first if it is quieter', QUIET, NOISY, { ...QUIET, repeated: 'first' }],
    [
      'the first if both are as noisy, even with a lower value',
      NOISY,
      better,
      { ...NOISY, repeated: 'first' },
    ],
    ['the first if the second has no such line', NOISY, other, NOISY],
  ] as const)
    it(`reports ${what}`, () => expect(quieterOf([first], [second])).to.deep.equal([chosen]))

  it('chooses line by line', () =>
    expect(
      quieterOf([NOISY, other], [{ ...NOISY, title: 'another line' }, QUIET]).map(
        ({ title, repeated }) => `${title}: ${repeated}`,
      ),
    ).to.deep.equal(['hello / profile: second', 'another line: first']))
})
