import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { delimiter, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect } from 'chai'
import { nodePackageOf } from './node-package.ts'

const isSource = import.meta.url.endsWith('.ts')
const program = fileURLToPath(new URL(`./matrix.${isSource ? 'ts' : 'js'}`, import.meta.url))
const node = isSource ? ['--import', import.meta.resolve('tsx'), program] : [program]

const name = nodePackageOf(`${process.platform}-${process.arch}`) ?? ''

/** Installs this very Node under every version but 99. */
const NPM = `#!/bin/sh
if [ "$1" = --version ]; then exit "\${NPM_STATUS:-0}"; fi
while [ "$1" != --prefix ]; do shift; done
modules=$2/node_modules
shift 2
echo "npm installs $*"
case $1 in *@99) exit 1 ;; esac
mkdir -p "$modules/.bin" "$modules/${name}/include/node"
ln -sf '${process.execPath}' "$modules/.bin/node"
touch "$modules/${name}/include/node/node_version.h"
`

/** Says what it was asked and where, and reports what it is told to. */
const MAKE = `#!/bin/sh
echo "make $*:$MAKEFLAGS $(command -v node) $npm_config_nodedir $(ls -A | tr '\\n' ' ')"
if [ -n "$COUNTS" ]; then echo "$COUNTS" > "$TEST_REPORT"; fi
if [ -n "$NEVER_ENDS" ]; then sleep 1000 & echo begun; wait; fi
exit "\${MAKE_STATUS:-0}"
`

/** The program as a real process, in a project of its own, where npm and make are those above. */
describe('the matrix', () => {
  before(function () {
    if (name === '') this.skip() // there is no package of Node for this machine
  })

  let folder: string
  let project: string
  let temporary: string
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'portcullis-'))
    project = join(folder, 'project')
    temporary = join(folder, 'temporary')
    for (const path of [project, temporary, join(folder, 'bin')]) mkdirSync(path)
    for (const [path, text] of [
      ['npm', NPM],
      ['make', MAKE],
    ] as const) {
      writeFileSync(join(folder, 'bin', path), text)
      chmodSync(join(folder, 'bin', path), 0o755)
    }
    execFileSync('git', ['init', '--quiet'], { cwd: project, stdio: 'ignore' })
    writeFileSync(join(project, '.gitignore'), 'pepper\n')
    writeFileSync(join(project, 'pepper'), 'secret')
    mkdirSync(join(project, 'domain'))
    writeFileSync(join(project, 'domain', 'field.ts'), '')
  })
  afterEach(() => rmSync(folder, { recursive: true }))

  const begun = (words: string, environment: Record<string, string> = {}) => {
    const child = spawn(process.execPath, [...node, ...words.split(' ')], {
      cwd: project,
      env: {
        PATH: `${join(folder, 'bin')}${delimiter}${process.env.PATH}`,
        TMPDIR: temporary,
        MAKEFLAGS: 'n',
        ...environment,
      },
    })
    const said: Array<string> = []
    for (const stream of [child.stdout, child.stderr])
      stream.setEncoding('utf8').on('data', (text) => said.push(text))
    const ended = once(child, 'close').then(([status]) => {
      // Whatever happened, nothing is left of it.
      expect(readdirSync(temporary).filter((left) => left.startsWith('portcullis'))).to.deep.equal([])
      return { status, said: said.join('') }
    })
    return { child, said, ended }
  }

  const COUNTS = '{"passes":7,"failures":0,"pending":1}'
  const here = process.versions.node

  it('runs make test in a copy without what git ignores, under that Node and with its headers', async () => {
    const { status, said } = await begun('22 24.1', { COUNTS }).ended
    expect(status, said).to.equal(0)
    const [, prefix = ''] = /^make test FAULTS=no: (.*)\/node_modules\/\.bin\/node /m.exec(said) ?? []
    expect(prefix.startsWith(temporary)).to.equal(true)
    expect(said).to.include(
      `make test FAULTS=no: ${prefix}/node_modules/.bin/node ${prefix}/node_modules/${name} .gitignore domain \n`,
    )
    expect(said).to.include(`npm installs ${name}@22\n`).and.to.include(`npm installs ${name}@24.1\n`)
    const line = `Node ${here}: 7 passed, 0 failed, 1 skipped\n`
    expect(said.endsWith(`\n\n${line}${line}`), said).to.equal(true)
  })

  it('runs the tests of faults where it is asked to', async () => {
    expect((await begun('--faults 22', { COUNTS }).ended).said).to.include('\nmake test FAULTS=yes: ')
  })

  it('leaves out what was removed from the project and not yet from git', async () => {
    execFileSync('git', ['add', '.'], { cwd: project })
    rmSync(join(project, 'domain', 'field.ts'))
    expect((await begun('22', { COUNTS }).ended).said).to.match(/ \.gitignore \n/)
  })

  it('brings an npm along where the one of the machine does not run on that Node', async () => {
    const { status, said } = await begun('22', { COUNTS, NPM_STATUS: '1' }).ended
    expect([status, said.includes(`npm installs ${name}@22 npm@11\n`)]).to.deep.equal([0, true])
  })

  for (const [what, words, environment, last] of [
    [
      'a test failed',
      '22',
      { COUNTS: COUNTS.replace('0', '2'), MAKE_STATUS: '2' },
      `Node ${here}: 7 passed, 2 failed, 1 skipped`,
    ],
    [
      'no test ran',
      '22',
      { MAKE_STATUS: '2' },
      `Node ${here}: 0 passed, 0 failed, 0 skipped, and make test ended with status 2`,
    ],
    [
      'there is no such Node, and goes on with the others',
      '99 22',
      { COUNTS },
      `Node 99: not tested, for npm could not install ${name}@99\nNode ${here}: 7 passed, 0 failed, 1 skipped`,
    ],
  ] as const) {
    it(`ends with 1 where ${what}`, async () => {
      const { status, said } = await begun(words, environment).ended
      expect(status).to.equal(1)
      expect(said.endsWith(`\n\n${last}\n`), said).to.equal(true)
    })
  }

  it('ends with 2 where it is asked for what is no Node, and begins nothing', async () => {
    const { status, said } = await begun('22 latest').ended
    expect([status, said]).to.deep.equal([
      2,
      '"latest" is no version of Node: say for example NODES="22 26"\n',
    ])
  })

  it('stops with all it has started', async () => {
    const { child, said, ended } = begun('22 24', { COUNTS, NEVER_ENDS: 'yes' })
    while (!said.join('').includes('begun')) await once(child.stdout, 'data')
    child.kill('SIGINT')
    // Its output is closed only when `sleep`, too, is gone.
    const { status, said: all } = await ended
    expect(status).to.equal(1)
    expect(all).to.include('Node 24: not tested, for it was stopped before\n')
    expect(all).to.include(
      `Node ${here}: 7 passed, 0 failed, 1 skipped, and make test was ended by a signal\n`,
    )
  })
})
