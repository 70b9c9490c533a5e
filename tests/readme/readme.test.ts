import { readFileSync } from 'node:fs'
import { expect } from 'chai'
import { composition } from '../../adapters/composition/compose.ts'
import { SETTINGS } from '../../adapters/config/settings.ts'
import { VERSION } from '../../adapters/config/version.ts'
import { EXIT } from '../../adapters/driving/cli/exit.ts'
import { program } from '../../adapters/driving/cli/program.ts'
import { DEFAULT_SCOPE, SCOPES } from '../../domain/application.ts'
import { EVENT_TYPES } from '../../domain/event.ts'
import { codeIn, partOf } from './page.ts'

/** The tests run from the root of the project, whether compiled or not. */
const read = (path: string): string => readFileSync(path, 'utf8')

const readme = read('README.md')
/** Nobody sees what it says. */
const SILENT = {
  composition,
  environment: {},
  folder: '/',
  input: process.stdin,
  print: () => {},
  printed: async () => {},
  say: () => {},
}

const manifest = JSON.parse(read('package.json'))

describe('the README', () => {
  it('shows the test that swaps adapters as it stands in the tests', () => {
    const [beginning = '', rest = ''] = read('tests/readme/swap-an-adapter.test.ts').split('\ndescribe(')
    const indented = rest.split('async () => {\n')[1]?.split('\n  })')[0] ?? ''
    const [imports, shown = ''] = codeIn(partOf(readme, '### Swap an adapter in a test'), 'ts')
    expect(imports).to.equal(beginning)
    expect(shown.trimEnd()).to.equal(indented.replaceAll(/^ {4}/gm, ''))
    expect(indented.split('\n').length).to.equal(14)
  })

  it('lists every setting there is, and none besides', () => {
    const table = readme.slice(
      readme.indexOf('## Settings'),
      readme.indexOf('## ', readme.indexOf('## Settings') + 3),
    )
    const listed = [...table.matchAll(/^\| `([A-Z_]+)`/gm)].map(([, name]) => name)
    expect(listed).to.have.members([...SETTINGS])
  })

  it('gives a reason for every dependency', () => {
    for (const name of Object.keys({ ...manifest.dependencies, ...manifest.devDependencies })) {
      expect(readme, name).to.include(`| ${name} |`)
    }
  })

  it('names every target of the Makefile', () => {
    for (const [, target] of read('Makefile').matchAll(/^([a-z-]+):.*## /gm)) {
      expect(readme).to.include(`make ${target}`)
    }
  })

  it('explains every event there is, and none besides', () => {
    const table = /### The event log\n([\s\S]*?)\n##? /.exec(`${readme}\n## `)?.[1] ?? ''
    const listed = [...table.matchAll(/^\| ((?:`[A-Za-z]+`(?:, )?)+) \|/gm)].flatMap(([, names = '']) =>
      names.split(', ').map((name) => name.replaceAll('`', '')),
    )
    expect(listed).to.have.members([...EVENT_TYPES])
  })

  it('explains every scope there is, and which are there by default', () => {
    const rows = [
      ...readme.matchAll(/^\| `([a-z_:]+)` \| [^|]+ \| (by default|only where it is named) \|$/gm),
    ]
    expect(rows.map(([, scope]) => scope)).to.deep.equal([...SCOPES])
    const byDefault = rows.filter(([, , when]) => when === 'by default').map(([, scope]) => scope)
    expect(byDefault).to.deep.equal([...DEFAULT_SCOPE])
  })

  it('names every command, and every exit status', async () => {
    const { commands } = program(SILENT)
    const names = commands.flatMap((command) =>
      command.commands.length === 0
        ? [command.name()]
        : command.commands.map((one) => `${command.name()} ${one.name()}`),
    )
    expect(names.length).to.be.greaterThan(10)
    // `disable` stands for the two that are its like.
    const shown = names.filter((name) => !['user enable', 'user remove'].includes(name))
    for (const name of shown) expect(readme, name).to.include(`npx portcullis ${name}`)
    for (const status of Object.values(EXIT)) expect(readme).to.include(`| ${status} |`)
  })
})

describe('the package', () => {
  it('has one version', () => {
    expect(VERSION).to.equal(manifest.version)
    const [, newest] = /^## (\d+\.\d+\.\d+)/m.exec(read('CHANGELOG.md')) ?? []
    expect(newest).to.equal(manifest.version)
  })

  it('says of all that it exports what a version of it promises', () => {
    const promises = partOf(readme, '## Versions')
    for (const path of Object.keys(manifest.exports).filter((one) => !one.endsWith('.json')))
      expect(promises).to.include(`\`${path.replace('.', manifest.name)}\``)
  })
})
