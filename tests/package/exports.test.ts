import { expect } from 'chai'
import { parseSync } from 'oxc-parser'
import { importsOf } from '../architecture/imports.ts'
import { sourcesIn } from '../architecture/sources.ts'

/** What a file gives to others by name. */
const exportsOf = (path: string, text: string): ReadonlyArray<string> =>
  parseSync(path, text)
    .module.staticExports.flatMap(({ entries }) => entries)
    .map(({ exportName }) => exportName.name ?? '')

const ports = sourcesIn('application/ports')
const [entry = []] = sourcesIn('adapters')
  .filter(({ path }) => path === 'adapters/index.ts')
  .map(({ path, text }) => exportsOf(path, text))

describe('the package’s entry', () => {
  it('exports every name that a port gives to those who write an adapter', () => {
    const names = ports.flatMap(({ path, text }) => exportsOf(path, text))
    expect(names).to.include.members(['Store', 'PasswordHasher', 'FailureCounts', 'UserTokens'])
    expect(names.filter((name) => !entry.includes(name))).to.deep.equal([])
  })

  it('exports every type of the domain that a port speaks of', () => {
    const names = ports
      .flatMap(importsOf)
      .filter(({ to }) => to.startsWith('domain/'))
      .flatMap((found) => found.names)
    expect(names).to.include.members(['User', 'SigningKey'])
    expect(names.filter((name) => !entry.includes(name))).to.deep.equal([])
  })

  it('exports what tells whose an e-mail is, as every store has to', () => {
    expect(entry).to.include('emailKey')
  })
})
