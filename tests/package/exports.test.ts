import { execFileSync } from 'node:child_process'
import { readdirSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { expect } from 'chai'
import { some } from 'fp-ts/lib/Option.js'
import { parseSync } from 'oxc-parser'
import { importsOf } from '../architecture/imports.ts'
import { sourcesIn } from '../architecture/sources.ts'
import { succeed } from '../support/outcome.ts'

/** The names that a file exports, also those of `export *` from a port or the composition. */
const exportsOf = (path: string, text: string): ReadonlyArray<string> =>
  parseSync(path, text)
    .module.staticExports.flatMap(({ entries }) => entries)
    .flatMap(
      ({ exportName, moduleRequest }) => exportName.name ?? exportsOfModule(path, moduleRequest?.value),
    )

const exportsOfModule = (from: string, specifier = ''): ReadonlyArray<string> =>
  [...ports, ...sourcesIn('adapters/composition')]
    .filter(({ path }) => path === join(dirname(from), specifier))
    .flatMap(({ path, text }) => exportsOf(path, text))

const ports = sourcesIn('application/ports')
const [entry = []] = sourcesIn('adapters')
  .filter(({ path }) => path === 'adapters/index.ts')
  .map(({ path, text }) => exportsOf(path, text))

describe('the package’s entry', () => {
  it('exports every name of the ports', () => {
    const names = ports.flatMap(({ path, text }) => exportsOf(path, text))
    expect(names).to.include.members(['Store', 'PasswordHasher', 'FailureCounts', 'UserTokens'])
    expect(names.filter((name) => !entry.includes(name))).to.deep.equal([])
  })

  it('exports every domain type that a port uses', () => {
    const names = ports
      .flatMap(importsOf)
      .filter(({ to }) => to.startsWith('domain/'))
      .flatMap((found) => found.names)
    expect(names).to.include.members(['User', 'SigningKey'])
    expect(names.filter((name) => !entry.includes(name))).to.deep.equal([])
  })

  it('exports every request type of the domain, and the context that use cases take', () => {
    const names = sourcesIn('domain').flatMap(({ path, text }) => exportsOf(path, text))
    const requests = names.filter((name) => /^[A-Z]\w*Request$/.test(name))
    expect(requests).to.include.members(['PasswordChangeRequest', 'RegistrationRequest', 'SignInRequest'])
    expect(entry).to.include.members([...requests, 'Field', 'RequestContext', 'NO_REQUEST'])
  })

  it('exports what every store needs', () => {
    expect(entry).to.include.members(['emailKey', 'withoutEndedLabel'])
  })
})

describe('the published types', () => {
  it('import modules only by paths that Node resolves', () => {
    const places = ['dist/domain', 'dist/application', 'dist/adapters', 'dist/tests/testkit']
    const declarations = places.flatMap((place) =>
      readdirSync(place, { recursive: true, encoding: 'utf8' })
        .filter((name) => name.endsWith('.d.ts'))
        .map((name) => join(place, name)),
    )
    expect(declarations.length).to.be.greaterThan(100)
    const unresolved = declarations.filter((path) =>
      /import\("fp-ts\/lib\/\w+"\)/.test(readFileSync(path, 'utf8')),
    )
    expect(unresolved).to.deep.equal([])
  })
})

describe('scryptPasswordHasher', () => {
  it('is exported, and verifies the records that it makes', async () => {
    const { scryptPasswordHasher, settings } = await import('../../adapters/index.ts')
    const { scrypt, hashing, peppers } = settings({ SCRYPT_LOG_N: '1', SCRYPT_P: '1' })
    const hasher = scryptPasswordHasher(scrypt, hashing, peppers)
    const { record } = await succeed(hasher.hash('pw', { share: ['tests'] }))
    expect(await succeed(hasher.verify('pw', some(record), { share: ['tests'] }))).to.equal(true)
    expect(await succeed(hasher.verify('PW', some(record), { share: ['tests'] }))).to.equal(false)
  })
})

describe('importing memoryStore', () => {
  it('loads neither Koa nor a database driver', () => {
    const script = `import('portcullis').then(({ memoryStore }) => {
      memoryStore()
      console.log(JSON.stringify(Object.keys(require('node:module')._cache)))
    })`
    const loaded: ReadonlyArray<string> = JSON.parse(
      execFileSync(process.execPath, ['-e', script], { encoding: 'utf8' }),
    )
    expect(loaded.some((path) => path.includes('node_modules/pino/'))).to.equal(true)
    expect(loaded.filter((path) => /node_modules\/(?:koa|pg|better-sqlite3)\//.test(path))).to.deep.equal([])
  })
})
