import { execFile } from 'node:child_process'
import { mkdtemp, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect } from 'chai'
import { ROOT } from './root.ts'

/** Globals through which the domain could do I/O. */
const WORLD = [
  'process',
  'Buffer',
  'console',
  'setTimeout',
  'fetch',
  'crypto',
  'performance',
  'document',
  'window',
  'localStorage',
]

const MODULES = ['node:fs', 'node:crypto', 'fs']

describe('the compiler options of the domain', () => {
  let folder: string
  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'portcullis-domain-'))
    // The packages are available as they are for the domain, including packages with types of Node.
    await symlink(join(ROOT, 'node_modules'), join(folder, 'node_modules'))
    const compilerOptions = {
      noEmit: true,
      composite: false,
      declaration: false,
      rootDir: null,
      outDir: null,
      tsBuildInfoFile: null,
    }
    const options = { extends: join(ROOT, 'domain', 'tsconfig.json'), compilerOptions, include: ['*.ts'] }
    await writeFile(join(folder, 'package.json'), '{"type":"module"}')
    await writeFile(join(folder, 'tsconfig.json'), JSON.stringify(options))
  })
  after(() => rm(folder, { recursive: true }))

  const compile = async (text: string): Promise<string> => {
    await writeFile(join(folder, 'snippet.ts'), text)
    const tsc = join(ROOT, 'node_modules', 'typescript', 'bin', 'tsc')
    return new Promise((resolve) => {
      execFile(process.execPath, [tsc, '-p', folder, '--pretty', 'false'], (_, output) => resolve(output))
    })
  }

  it('include the language and fp-ts', async () => {
    const text = `
      import { pipe } from 'fp-ts/lib/function.js'
      import { some } from 'fp-ts/lib/Option.js'
      export const known = pipe([1, 2], (numbers) => some(new Map([[numbers.at(-1), new Date(0).toISOString()]])))
      export const wellFormed: boolean = 'a'.isWellFormed()
    `
    expect(await compile(text)).to.equal('')
  }).timeout(60_000)

  it('exclude globals of Node and of browsers', async () => {
    const output = await compile(`export const world = [${WORLD.join(', ')}]`)
    expect(unknownTo(output)).to.deep.equal(WORLD)
  }).timeout(60_000)

  it('exclude the modules of Node', async () => {
    const output = await compile(MODULES.map((name) => `export * from '${name}'`).join('\n'))
    expect(unknownTo(output)).to.deep.equal(MODULES)
  }).timeout(60_000)
})

/** The names that the compiler reports as unknown. */
const unknownTo = (output: string): ReadonlyArray<string | undefined> =>
  [...output.matchAll(/error TS\d+: Cannot find (?:name|module) '([\w:]+)'/g)].map(([, name]) => name)
