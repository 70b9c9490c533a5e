import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'chai'
import { compose, Dependency, memoryFailureCounts, provide } from '../../adapters/index.ts'
import { ROOT } from '../architecture/root.ts'
import { SOURCES } from '../architecture/sources.ts'
import { pagesBelow } from '../readme/markdown.ts'
import { settings } from '../support/settings.ts'

/** Each example in the docstring of `provide`, to the letter, so that it compiles. */
const EXAMPLES = [
  provide(Dependency.clock, () => () => 0),
  provide(Dependency.failureCounts, { clock: Dependency.clock }, ({ clock }) => memoryFailureCounts(clock)),
]

/** The names of dependencies in a text. */
const namedIn = (text: string): ReadonlyArray<string> =>
  [...text.matchAll(/\bDependency\.(\w+)/g)].flatMap(([, name]) => name ?? [])

describe('the dependencies', () => {
  it('have their names, which messages show', () => {
    const names = Object.entries(Dependency).map(([, identifier]) => identifier.name)
    expect(names).to.deep.equal(Object.keys(Dependency))
    expect(names).to.include('passwordHasher')
  })

  it('exist if a page or a docstring names them', () => {
    const pages = pagesBelow('.').map((path) => ({ path, text: readFileSync(path, 'utf8') }))
    const named = [...pages, ...SOURCES.flat()].flatMap(({ path, text }) =>
      namedIn(text).map((name) => ({ path, name })),
    )
    expect(named.map(({ path }) => path)).to.include.members([
      'docs/adapters.md',
      'docs/embed.md',
      'adapters/composition/provide.ts',
    ])
    expect(named.filter(({ name }) => !(name in Dependency))).to.deep.equal([])
  })

  it('are replaced as the docstring of provide shows', async () => {
    const source = readFileSync(join(ROOT, 'adapters/composition/provide.ts'), 'utf8')
    const shown = [...source.matchAll(/^ \* @example (.+)$/gm)].map(([, example]) => example)
    expect(shown).to.have.lengthOf(EXAMPLES.length)
    const own = readFileSync(join(ROOT, 'tests/package/dependencies.test.ts'), 'utf8')
    expect(shown.filter((example) => !own.includes(`\n  ${example},\n`))).to.deep.equal([])
    const service = await compose(settings({ DATABASE_URL: 'memory:' }), ...EXAMPLES)
    await service.stop()
  })
})
