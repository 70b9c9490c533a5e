import { readFileSync } from 'node:fs'
import { expect } from 'chai'
import { EXIT } from '../../adapters/cli/exit.ts'
import { DEFAULT_SCOPE, SCOPES } from '../../domain/application.ts'
import { commandsOf } from '../support/commands.ts'
import { normalized, runExamples } from './cli-examples.ts'
import { CLI_PAGES, PAGE_BREAK, withReferences } from './cli-reference.ts'
import { partOf } from './page.ts'

/** The tests run from the root of the project, whether compiled or not. */
const page = CLI_PAGES.map((path) => readFileSync(path, 'utf8')).join(PAGE_BREAK)

describe('docs/cli.md, docs/cli-applications.md and docs/cli-store.md', () => {
  it('has the reference that the program gives for each command (else run: make docs)', () => {
    expect(commandsOf().length).to.be.above(10)
    expect(page).to.equal(withReferences(page))
  })

  it('says which commands take no --json', () => {
    expect(partOf(page, '## JSON output')).to.include(
      'Each command except `serve`, `console` and `texts check` accepts `--json`.',
    )
    const without = commandsOf().filter(
      ({ command }) => !command.options.some(({ long }) => long === '--json'),
    )
    expect(without.map(({ name }) => name)).to.have.members(['serve', 'console', 'texts check'])
  })

  it('shows an example of each command', () => {
    for (const { name } of commandsOf()) {
      const part = partOf(page, name === 'serve' ? '## serve' : `### ${name}`)
      expect(part, name).to.match(
        new RegExp(`^\\$ .*(?:portcullis|node dist/adapters/main.js) ${name}\\b`, 'm'),
      )
    }
  })

  it('shows the output that each example has (else run: make docs)', async function () {
    this.timeout(60_000) // passwords are hashed at the cost of production
    const examples = await runExamples(page)
    expect(examples.length).to.be.least(commandsOf().length)
    for (const { command, shown, actual } of examples)
      expect(normalized(shown), command).to.equal(normalized(actual))
  })

  it('explains every scope there is, and which are there by default', () => {
    const rows = [...page.matchAll(/^\| `([a-z_:]+)` \| [^|]+ \| (yes|no) \|$/gm)]
    expect(rows.map(([, scope]) => scope)).to.deep.equal([...SCOPES])
    const byDefault = rows.filter(([, , when]) => when === 'yes').map(([, scope]) => scope)
    expect(byDefault).to.deep.equal([...DEFAULT_SCOPE])
  })

  it('explains every exit status there is, and none besides', () => {
    const part = partOf(page, '## Exit statuses')
    const listed = [...part.matchAll(/^\| (\d+) \|/gm)].map(([, status]) => Number(status))
    expect(listed).to.have.members(Object.values(EXIT))
  })
})
