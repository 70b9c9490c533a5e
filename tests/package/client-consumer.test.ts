import { execFile } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { expect } from 'chai'
import { ROOT } from '../architecture/root.ts'
import { installInto, isOutOfReach } from '../support/registry.ts'
import { installClient } from './packed.ts'

const PROGRAM = `
import { PortcullisUnavailable, portcullis, type Reason } from 'portcullis-client'

const auth = portcullis({ url: 'http://127.0.0.1:8080', publicApiKey: 'pk_', privateApiKey: 'sk_' })

export const signIn = async (email: string, password: string): Promise<string | ReadonlyArray<Reason>> => {
  try {
    const signedIn = await auth.signIn({ email, password }, { endUserAddress: '192.0.2.1' })
    if (signedIn.ok) return signedIn.token
    // @ts-expect-error: a refusal has no token
    signedIn.token
    return signedIn.problems.map(({ reason }) => reason)
  } catch (error) {
    if (error instanceof PortcullisUnavailable) return error.outcome
    throw error
  }
}

export const follow = async (): Promise<string> => {
  for await (const { cursor } of auth.events({ types: ['UserRemoved'] })) return cursor
  return ''
}
`

/** The last supported version of TypeScript before the one of this project. npm installs it. */
const OLDER = 'typescript@5.9.3'

/** Where the names of `fetch` come from, and whether the compiler also checks the package. */
const SOURCES: ReadonlyArray<readonly [what: string, options: object]> = [
  ['the types of Node.js', { lib: ['ES2023'], types: ['node'], skipLibCheck: false }],
  ['those of browsers', { lib: ['ES2023', 'DOM'], types: [], skipLibCheck: false }],
  ['neither, and with skipLibCheck', { lib: ['ES2023'], types: [], skipLibCheck: true }],
]

const RESOLUTIONS = [
  { module: 'NodeNext', moduleResolution: 'NodeNext' },
  { module: 'ESNext', moduleResolution: 'Bundler' },
]

describe('a program with portcullis-client compiles', function () {
  this.timeout(120_000) // npm installs a compiler
  let folder: string
  before(() => {
    folder = mkdtempSync(join(tmpdir(), 'portcullis-typed-'))
    const modules = join(folder, 'node_modules')
    installClient(folder)
    mkdirSync(join(modules, '@types'))
    // The compiler follows the link, and finds there what these types need.
    symlinkSync(join(ROOT, 'node_modules', '@types', 'node'), join(modules, '@types', 'node'))
    writeFileSync(join(folder, 'package.json'), JSON.stringify({ type: 'module' }))
    writeFileSync(join(folder, 'program.ts'), PROGRAM)
    mkdirSync(join(folder, 'older'))
  })
  after(() => rmSync(folder, { recursive: true }))

  const compile = async (typescript: string, options: object): Promise<string> => {
    const common = { target: 'ES2022', strict: true, exactOptionalPropertyTypes: true, noEmit: true }
    const tsconfig = { compilerOptions: { ...common, ...options }, include: ['program.ts'] }
    writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify(tsconfig))
    const tsc = join(typescript, 'node_modules', 'typescript', 'bin', 'tsc')
    const { stdout } = await promisify(execFile)(process.execPath, [tsc, '--pretty', 'false'], {
      cwd: folder,
    }).catch((failed: { stdout: string }) => failed)
    return stdout
  }

  /** Each source of types, in both resolutions. */
  const declare = (typescript: () => string): void => {
    for (const [what, options] of SOURCES) {
      it(`with ${what}`, async () => {
        for (const resolution of RESOLUTIONS)
          expect(await compile(typescript(), { ...options, ...resolution }), resolution.module).to.equal('')
      })
    }
  }

  describe('by the TypeScript of this project', () => declare(() => ROOT))

  describe(`by ${OLDER}`, () => {
    before(async function () {
      const installed = await installInto(join(folder, 'older'), OLDER)
      if (installed.status !== 0 && isOutOfReach(installed) && !process.env.CI) {
        const [first] = this.test?.parent?.tests ?? []
        if (first) first.title += ' (skipped with the others: no npm registry is reachable)'
        this.skip()
      }
      expect(installed.status, installed.err).to.equal(0)
    })
    declare(() => join(folder, 'older'))
  })
})
