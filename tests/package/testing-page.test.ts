import { copyFileSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect } from 'chai'
import { ROOT } from '../architecture/root.ts'
import { codeIn } from '../readme/page.ts'
import { installInto, isOutOfReach } from '../support/registry.ts'
import { type Consumer, consumer } from './consumer.ts'
import { installClient } from './packed.ts'

const PAGE = readFileSync(join(ROOT, 'docs', 'testing.md'), 'utf8')
/** What the page says to copy, by the name that a copy gets. */
const EXAMPLES = {
  'accounts.ts': 'accounts.ts',
  'accounts.test.ts': 'forms.ts',
  'listening.test.ts': 'listening.ts',
  'several.test.ts': 'several.ts',
}
const pathOf = (name: string): string => join('tests', 'examples', 'testing', name)
const [tests = '', withVitest = '', listening = '', several = '', ...others] = codeIn(PAGE, 'sh')

/** The newest one that runs on every supported Node.js, with a version of its peer that does, too. */
const VITEST = ['vitest@4.1.12', 'vite@7']

describe('docs/testing.md, in a project that installs the package', function () {
  this.timeout(300_000) // all its packages are copied
  let project: Consumer
  before(async () => {
    project = await consumer()
    installClient(project.folder)
    for (const [name, example] of Object.entries(EXAMPLES))
      copyFileSync(join(ROOT, pathOf(example)), join(project.folder, name))
  })
  after(() => project.remove())

  it('has no code that the tests do not run, except the first lines of a test', () => {
    for (const example of Object.values(EXAMPLES)) expect(PAGE).to.include(`(../${pathOf(example)})`)
    expect(others).to.deep.equal([])
    const [first = '', ...rest] = codeIn(PAGE, 'ts')
    expect(rest).to.deep.equal([])
    const example = readFileSync(join(ROOT, pathOf(EXAMPLES['accounts.test.ts'])), 'utf8')
    for (const line of first.split('\n')) expect(example).to.include(line)
    expect(PAGE.match(/^```\w+$/gm)).to.have.lengthOf(1 + codeIn(PAGE, 'sh').length)
  })

  it('has files that compile', async () => {
    expect(await project.run('node_modules/.bin/tsc')).to.deep.equal({ status: 0, out: '', err: '' })
  })

  it('has four tests that pass under node:test', async () => {
    const { status, out } = await project.run(tests)
    expect(status, out).to.equal(0)
    expect(out).to.match(/pass 4$/m)
  })

  it('has a test that listens, with a module', async () => {
    const { status, out } = await project.run(listening)
    expect(status, out).to.equal(0)
    expect(out).to.match(/pass 1$/m)
  })

  it('has a test with several applications', async () => {
    const { status, out } = await project.run(several)
    expect(status, out).to.equal(0)
    expect(out).to.match(/pass 1$/m)
  })

  it('needs no setting, and reads none', async () => {
    const wrong = 'export DATABASE_URL=postgres://nowhere.invalid/x PORT=x KEY_ENCRYPTION_KEY=x\n'
    writeFileSync(join(project.folder, '.env'), 'DATABASE_URL=sqlite:./written.db\n')
    const { status, out } = await project.run(`${wrong}${tests}ls\nrm .env`)
    expect(status, out).to.equal(0)
    expect(out)
      .to.match(/pass 4$/m)
      .and.not.include('written.db')
  })

  it('has four tests that pass under vitest', async function () {
    const folder = mkdtempSync(join(tmpdir(), 'portcullis-vitest-'))
    try {
      const installed = await installInto(folder, ...VITEST)
      if (isOutOfReach(installed) && !process.env.CI) this.skip()
      expect(installed.status, installed.err).to.equal(0)
      const modules = join(project.folder, 'node_modules')
      symlinkSync(join(folder, 'node_modules', 'vitest'), join(modules, 'vitest'))
      symlinkSync(join(folder, 'node_modules', 'vitest', 'vitest.mjs'), join(modules, '.bin', 'vitest'))
      const { status, out, err } = await project.run(withVitest)
      expect(status, out + err).to.equal(0)
      // biome-ignore lint/suspicious/noControlCharactersInRegex: the colours of a terminal
      expect(out.replaceAll(/\u001b\[\d+m/g, '')).to.match(/Tests +4 passed \(4\)/)
    } finally {
      rmSync(folder, { recursive: true })
    }
  })
})
