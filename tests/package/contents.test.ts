import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'
import { expect } from 'chai'
import { importsOf } from '../architecture/imports.ts'
import { ROOT } from '../architecture/root.ts'
import { linksIn } from '../readme/markdown.ts'
import { pack } from './packed.ts'

const manifest = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8'))

/** The entry points: the exports and the command. */
const ENTRIES = [
  'adapters/index',
  'adapters/client/client',
  'adapters/main',
  'adapters/bundle/testing',
  'tests/testkit/testkit',
].map((entry) => `dist/${entry}.js`)

/** Loaded by path, without an import. */
const BY_PLACE = ['dist/adapters/bundle/checks-thread.js', 'dist/adapters/credentials/zxcvbn/thread.js']

/** In the comment before each bundled module. */
const PACKAGE_FOLDER = /^\/\/ .*node_modules\/(?:@[^/\n]+\/)?[^/\n]+\//gm

/** A part of the bundle, which has no types of its own. */
const isChunk = (path: string): boolean => /^dist\/adapters\/bundle\/chunk-/.test(path)

/** All files of a folder and its subfolders, by their paths from the root. */
const filesIn = (folder: string): ReadonlyArray<string> =>
  readdirSync(join(ROOT, folder), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map(({ parentPath, name }) => relative(ROOT, join(parentPath, name)))

/** A file of the package, such as a compiled one or its types. */
const read = (path: string): string => readFileSync(join(ROOT, path), 'utf8')

/** The compiled files that a file or its types import. */
const neighboursOf = (path: string): ReadonlyArray<string> =>
  [path, ...(isChunk(path) ? [] : [path.replace(/\.js$/, '.d.ts')])].flatMap(importedBy)

const importedBy = (path: string): ReadonlyArray<string> =>
  importsOf({ path, text: read(path) })
    .filter(({ isPath }) => isPath)
    .map(({ specifier }) => join(dirname(path), specifier).replace(/\.ts$/, '.js'))

describe('the package', () => {
  const packed = pack()
  after(packed.remove)
  const [beside, compiled] = [false, true].map((wanted) =>
    packed.paths.filter((path) => path.startsWith('dist/') === wanted),
  )
  const reached = new Set([...ENTRIES, ...BY_PLACE])
  for (const path of reached) for (const neighbour of neighboursOf(path)) reached.add(neighbour)

  it('contains the compiled service, its documentation and examples, and no other sources, tests or project settings', () => {
    expect(beside).to.have.members([
      '.env.example',
      'CHANGELOG.md',
      'CONTRIBUTING.md',
      'LICENSE',
      'README.md',
      'SECURITY.md',
      'adapters/texts/en.ts',
      'compose.yaml',
      ...filesIn('deploy'),
      ...filesIn('docs'),
      'package.json',
      ...filesIn('tests/examples').filter((path) => /^tests\/examples\/[^/]+\//.test(path)),
    ])
    expect(compiled?.length).to.be.greaterThan(100)
    for (const path of compiled ?? []) {
      expect(path).to.match(
        /^dist\/(?:(?:domain|application|adapters|tests\/testkit)\/.+\.(?:js|d\.ts)|adapters\/bundle\/bundle\.LICENSE|adapters\/stores\/(?:sqlite|postgres)\/migrations\/\d{4}-[a-z-]+\.sql)$/,
      )
      expect(path).not.to.match(/\.test\.|\/broken\//)
    }
  })

  it('has pages whose links lead to its own files', () => {
    const pages = packed.paths.filter((path) => path.endsWith('.md'))
    expect(pages).to.include.members(['README.md', 'docs/client.md', 'CONTRIBUTING.md'])
    const lost = pages.flatMap((page) =>
      linksIn(read(page))
        .map((target) => target.replace(/#.*/, ''))
        .filter((file) => file !== '' && !packed.paths.includes(join(dirname(page), file)))
        .map((file) => `${page}: ${file}`),
    )
    expect(lost).to.deep.equal([])
  })

  it('contains exactly the files reachable from its exports, with their types', () => {
    const scripts = (compiled ?? []).filter((path) => path.endsWith('.js'))
    expect(scripts.filter((path) => !reached.has(path))).to.deep.equal([])
    expect([...reached].filter((path) => !scripts.includes(path))).to.deep.equal([])
    const types = (compiled ?? []).filter((path) => path.endsWith('.d.ts'))
    expect(types).to.have.members(
      scripts.filter((path) => !isChunk(path)).map((path) => path.replace(/\.js$/, '.d.ts')),
    )
  })

  it('contains the program in few files, with the licences of the packages in them', () => {
    const bundled = new Set(['dist/adapters/bundle/bundled-program.js'])
    for (const path of bundled) for (const imported of importedBy(path)) bundled.add(imported)
    expect(
      [...bundled].filter((path) => !/^dist\/adapters\/bundle\/(?:chunk|bundled)-/.test(path)),
    ).to.deep.equal([])
    expect(bundled.size).to.be.within(2, 50)
    const folders = new Set([...bundled].flatMap((path) => read(path).match(PACKAGE_FOLDER) ?? []))
    expect(folders).to.include('// node_modules/fp-ts/').and.to.include('// node_modules/@peculiar/x509/')
    for (const comment of folders) {
      const folder = join(ROOT, comment.slice(3))
      const names = readdirSync(folder)
      const license =
        [/^license/i, /^readme/i].map((text) => names.find((name) => text.test(name))).find(Boolean) ?? ''
      expect(read('dist/adapters/bundle/bundle.LICENSE')).to.include(
        readFileSync(join(folder, license), 'utf8'),
      )
    }
  })

  for (const store of ['sqlite', 'postgres']) {
    it(`contains every migration of the ${store} store`, () => {
      const written = readdirSync(join(ROOT, `adapters/stores/${store}/migrations`))
      expect(written).not.to.deep.equal([])
      for (const name of written) {
        const path = `adapters/stores/${store}/migrations/${name}`
        expect(packed.paths).to.include(`dist/${path}`)
        expect(read(`dist/${path}`)).to.equal(read(path))
      }
    })
  }

  it('refers to no missing source map or file', () => {
    for (const path of compiled ?? []) expect(read(path), path).not.to.include('sourceMappingURL')
    for (const path of reached) expect(existsSync(join(ROOT, path)), path).to.equal(true)
  })

  it('exports the service, the client, the entry for tests of products, the test kit and its package.json', () => {
    expect(Object.keys(manifest.exports)).to.deep.equal([
      '.',
      './client',
      './testing',
      './testkit',
      './package.json',
    ])
    const named = [...Object.values(manifest.exports), manifest.bin].flatMap((one) =>
      typeof one === 'string' ? [one] : Object.values(one as Record<string, string>),
    )
    for (const path of named) expect(packed.paths).to.include(path.replace(/^\.\//, ''))
  })

  it('is built and tested before publishing, and built before packing', () => {
    expect(manifest.scripts).to.include({ prepack: 'make build', prepublishOnly: 'make check test-all' })
  })
})
