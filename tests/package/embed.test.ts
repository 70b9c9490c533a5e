import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'chai'
import { ROOT } from '../architecture/root.ts'
import { codeIn } from '../readme/page.ts'
import type { Ended } from '../support/command.ts'
import { type Consumer, consumer, filesOf } from './consumer.ts'

const PAGE = readFileSync(join(ROOT, 'docs', 'embed.md'), 'utf8')
const files = filesOf(PAGE)
const [start = '', test = '', commands = '', refused = '', ...others] = codeIn(PAGE, 'sh')

/** Cheap hashes. Other settings are as the page has them. */
const CHEAP = 'export SCRYPT_LOG_N=1 SCRYPT_P=1\n'

describe('docs/embed.md, in a project that installs the package', function () {
  this.timeout(300_000) // all its packages are copied
  let project: Consumer
  before(async () => {
    project = await consumer()
    for (const [name, text] of files) writeFileSync(join(project.folder, name), text)
  })
  after(() => project.remove())

  const run = (lines: string): Promise<Ended> => project.run(`${CHEAP}${lines}`)

  it('has no code that the tests do not run', () => {
    expect(files.map(([name]) => name)).to.deep.equal([
      'program.ts',
      'profile.test.ts',
      'journal-parts.ts',
      'parts.mjs',
    ])
    expect(others).to.deep.equal([])
    const blocks = PAGE.match(/^```\w+$/gm) ?? []
    expect(blocks.length).to.equal(files.length + codeIn(PAGE, 'sh').length)
  })

  it('has files that compile', async () => {
    expect(await project.run('node_modules/.bin/tsc')).to.deep.equal({ status: 0, out: '', err: '' })
  })

  it('composes the service in a program', async () => {
    const { status, out, err } = await run(start)
    expect(status, err).to.equal(0)
    expect(out).to.match(/^The service listens on port \d+\.\nRegistered ada@example\.com\.\n$/)
    expect((await run(start)).out, 'the same store').to.include("Refused: [ 'EmailTaken' ]")
  })

  it('tests without a socket', async () => {
    const { status, out } = await run(test)
    expect(status, out).to.equal(0)
    expect(out).to.match(/pass 1$/m)
  })

  it('runs the commands on another store', async () => {
    const { status, out, err } = await run(commands)
    expect(status, err).to.equal(0)
    expect(out).to.match(/eve@example\.com {2}.*enabled[\s\S]*UserRegistered/)
    expect(readFileSync(join(project.folder, 'commands.journal'), 'utf8')).to.include('eve@example.com')
  })

  it('refuses passwords by a rule', async () => {
    expect(await run(refused)).to.deep.equal({
      status: 1,
      out: '',
      err: 'Store: ./data/portcullis.db (the default)\nThe password contains the name of our shop.\n',
    })
  })
})
