import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'chai'
import { ROOT } from '../architecture/root.ts'
import { adaptersPage, codeIn } from '../readme/page.ts'
import type { Ended } from '../support/command.ts'
import type { StoreCapabilities } from '../testkit/testkit.ts'
import { type Consumer, consumer, EXAMPLE, EXAMPLES } from './consumer.ts'

/** A file of the example that docs/adapters.md says to copy. */
const original = (name: string) => readFileSync(join(EXAMPLES, name), 'utf8')

/** The file with the line that docs/adapters.md names. */
const BROKEN = 'journal-tables.ts'
const example = original(BROKEN)
const PAGE = adaptersPage()
const commands = codeIn(PAGE, 'sh')

/** The only line of a command block that contains this text. */
const commandWith = (block: string | undefined, text: string): string => {
  const found = (block ?? '').split('\n').filter((line) => line.includes(text))
  expect(found, text).to.have.lengthOf(1)
  return found[0] ?? ''
}
const suites = commands.find((block) => block.includes('node_modules/.bin/tsc\n'))
const alone = commands.find((block) => block.includes('--grep'))

/** Both test runners, with the words of their commands and the patterns of their results. */
const RUNNERS = [
  { runner: 'node --test', word: '--test', passed: /^(?:#|ℹ) pass (\d+)$/m, failed: /^(?:#|ℹ) fail (\d+)$/m },
  { runner: 'mocha', word: 'mocha', passed: /^ +(\d+) passing/m, failed: /^ +(\d+) failing$/m },
] as const

const countOf = (pattern: RegExp, { out }: Ended): number => Number(pattern.exec(out)?.[1] ?? 0)

describe('the test kit in another project', function () {
  this.timeout(300_000) // all its packages are copied
  let project: Consumer
  const write = (text: string) => writeFileSync(join(project.folder, BROKEN), text)

  before(async () => {
    project = await consumer()
  })
  afterEach(() => write(example))
  after(() => project.remove())

  it('tests the example that docs/adapters.md says to copy', () => {
    for (const name of EXAMPLE)
      expect(readFileSync(join(project.folder, name), 'utf8')).to.equal(original(name))
    expect(project.folder).not.to.include(ROOT)
  })

  for (const { runner, word, passed, failed } of RUNNERS) {
    it(`passes for the example under ${runner}`, async () => {
      const ended = await project.run(commandWith(suites, word))
      expect(ended.status, ended.out).to.equal(0)
      expect(countOf(passed, ended)).to.be.greaterThan(100)
      expect(countOf(failed, ended)).to.equal(0)
    })

    it(`fails by name for the example without the line that docs/adapters.md names, under ${runner}`, async () => {
      const lines = example.split('\n')
      const broken = lines.filter((line) => !/^ .*row\.version !==/.test(line))
      expect(broken).to.have.lengthOf(lines.length - 1)
      write(broken.join('\n'))
      const ended = await project.run(commandWith(suites, word))
      expect(ended.status).not.to.equal(0)
      expect(countOf(failed, ended)).to.be.greaterThan(3)
      expect(ended.out).to.include('what exists is not created again: users')
      expect(ended.out).to.include('node_modules/portcullis/dist/tests/testkit/store/versions.js')

      const one = await project.run(commandWith(alone, word))
      expect(one.status).not.to.equal(0)
      expect(one.out).to.include('what exists is not created again: users')
      expect(one.out).to.match(/_tag\W+Conflict/) // the expected refusal
      expect([countOf(passed, one), countOf(failed, one)]).to.deep.equal([0, 1])
    })
  }
})

describe('docs/adapters.md', () => {
  it('names every contract of the test kit, and every capability of a store', async () => {
    const contracts = Object.keys(await import('../testkit/testkit.ts')).filter((name) =>
      /Contract$/.test(name),
    )
    expect(contracts).to.have.lengthOf.greaterThan(2)
    for (const name of contracts) expect(PAGE).to.include(name)
    const capabilities: Record<keyof StoreCapabilities, true> = {
      lasting: true,
      shared: true,
      failing: true,
      losing: true,
    }
    for (const name of Object.keys(capabilities)) expect(PAGE).to.include(`\`${name}\` (`)
  })

  it('begins with an excerpt of its later steps', () => {
    const [command = 'nothing'] = commands
    expect(suites).to.include(command)
  })

  it('has only code blocks that are tested or part of the example', () => {
    const blocks = [...PAGE.matchAll(/^```(\w*)$/gm)].filter(([, language]) => language !== '')
    expect(blocks.map(([, language]) => language)).to.deep.equal([
      'sh',
      'sh',
      'json',
      'sh',
      'ts',
      'sh',
      'sh',
      'sh',
      'ts',
      'sh',
    ])
  })
})
