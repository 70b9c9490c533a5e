import { existsSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { expect } from 'chai'
import type { Finding } from '../../application/ports/inspection.ts'
import { ROOT } from '../architecture/root.ts'
import { apiClient } from '../support/api-client.ts'
import { freePort, main, processWorkplace } from '../support/command.ts'
import { eventually } from '../support/eventually.ts'

const STORE = pathToFileURL(join(ROOT, 'dist/tests/examples/adapters/journal-store.js')).href

/** The files of the project. Each module is for `--with`. */
const FILES = {
  'package.json': '{ "name": "a-shop", "private": true }',
  'parts.mjs': `
    import { Dependency, provide } from 'portcullis'
    import { journalStore } from '${STORE}'
    export default [provide(Dependency.storage, async () => ({ store: await journalStore('my.journal') }))]`,
  'named.mjs': `
    import { Dependency, provide } from 'portcullis'
    export const modules = provide(Dependency.clock, () => () => 0)`,
  'rules.mjs': `
    import { Dependency, provide } from 'portcullis'
    import { right } from 'fp-ts/lib/TaskEither.js'
    const shop = {
      name: 'shop-name',
      refusal: 'contains the name of our shop.',
      refuses: (password) => right(password.includes('otterworks')),
    }
    const broken = { name: 'odd', refusal: 'is odd.', refuses: (password) => { if (password === 'odd') throw password; return right(false) } }
    export default provide(Dependency.passwordRules, () => [shop, broken])`,
  'unnamed-rule.mjs': `
    import { Dependency, provide } from 'portcullis'
    export default provide(Dependency.passwordRules, () => [{ refusal: 'is refused.', refuses: () => false }])`,
  'hasher.mjs': `
    import { Dependency, provide } from 'portcullis'
    import { some } from 'fp-ts/lib/Option.js'
    import { right } from 'fp-ts/lib/TaskEither.js'
    const hasher = {
      hash: (password) => right({ record: password, scheme: 'plain' }),
      verify: (password, record) => right(record.value === password),
      verifyMs: () => some(1),
      assess: (record) => record.startsWith('1$') ? 'unreadable' : 'current',
    }
    export default provide(Dependency.passwordHasher, () => hasher)`,
  'nothing.mjs': 'export const parts = []',
  'number.mjs': 'export default 1',
  'empty.mjs': 'export default []',
  'object.mjs': 'export default { what: 1 }',
  'mixed.mjs': `
    import { Dependency, provide } from 'portcullis'
    export default [provide(Dependency.clock, () => () => 0), {}]`,
  'foreign.mjs': 'export default { what: { storage: class {} }.storage, binding: {} }',
  'throws.mjs': `throw new Error('no database today')`,
  'syntax.mjs': 'export default [',
  'missing-import.mjs': `import 'not-installed'`,
  'store.mjs': `
    import { Dependency, memoryStore, provide } from 'portcullis'
    export default provide(Dependency.store, () => memoryStore())`,
  'failing.mjs': `
    import { Dependency, provide } from 'portcullis'
    export default provide(Dependency.storage, () => { throw new Error('The journal is on strike.') })`,
} as const

/** What is wrong with a file, the exit status and the end of the message. */
const MISTAKES: ReadonlyArray<readonly [file: string, status: number, message: RegExp]> = [
  ['none.mjs', 2, /none\.mjs: there is no such file\.$/],
  ['node_modules', 2, /node_modules: there is no such file\.$/],
  ...(['nothing.mjs', 'number.mjs', 'empty.mjs', 'object.mjs', 'mixed.mjs'] as const).map(
    (file) => [file, 2, /its default export must be a call of provide\(…\), or an array/] as const,
  ),
  [
    'foreign.mjs',
    2,
    /imports another copy of portcullis .* see docs\/deploy-parts\.md, Where the file lies\.$/,
  ],
  ['throws.mjs', 1, /throws\.mjs: the import failed: no database today$/],
  ['syntax.mjs', 1, /syntax\.mjs: the import failed: Unexpected/],
  ['missing-import.mjs', 1, /the import failed: Cannot find package 'not-installed'/],
  ['store.mjs', 1, /^Provide Dependency\.storage instead of Dependency\.store/],
  ['unnamed-rule.mjs', 78, /^Password rule 1 must have a name of .*, got undefined\.$/],
  ['failing.mjs', 1, /^The journal is on strike\.$/],
]

/** In a project that has the package in `node_modules`, and runs the command of that package. */
describe('portcullis --with', function () {
  this.timeout(60_000)
  const { folder, portcullis, serve, remove } = processWorkplace(([node = '', ...rest], place) => [
    node,
    join(place, 'node_modules/portcullis/dist/adapters/main.js'),
    ...rest.slice(rest.indexOf(main) + 1),
  ])
  before(() => {
    mkdirSync(join(folder, 'node_modules'))
    symlinkSync(ROOT, join(folder, 'node_modules/portcullis'))
    symlinkSync(join(ROOT, 'node_modules/fp-ts'), join(folder, 'node_modules/fp-ts'))
    for (const [name, text] of Object.entries(FILES)) writeFileSync(join(folder, name), text)
  })
  after(remove)

  for (const DATABASE_URL of ['', 'memory:'])
    it(`runs each command on the storage of the module, with DATABASE_URL=${DATABASE_URL}`, async () => {
      const run = async (words: string, input = '') => {
        const ended = await portcullis(`--with ./parts.mjs ${words}`, {
          input,
          environment: { DATABASE_URL },
        })
        expect(ended.status, `${words}: ${ended.err}`).to.equal(0)
        return ended.out
      }
      const email = `ada${DATABASE_URL.length}@example.com`
      await run(`user create --email ${email} --password-stdin`, 'pw')
      expect(await run('user list')).to.include(email)
      await run(`user set-password ${email} --password-stdin`, 'other')
      const keys = JSON.parse(await run('application create --name shop --json'))
      expect(await run('events list')).to.include('ApplicationRegistered')
      const { out } = await portcullis('--with ./parts.mjs doctor --json', { environment: { DATABASE_URL } })
      const checks: ReadonlyArray<Finding> = JSON.parse(out).checks
      expect(checks[0]?.detail).to.match(/^store the one of --with, issuer /)
      expect(checks.map(({ name }) => name)).to.include.members(['log', 'passwords'])
      const failed = checks.filter(({ ok }) => !ok).map(({ name }) => name)
      expect(failed, 'hashes of tests are cheap').to.deep.equal(['hashing'])

      const server = await serve('serve --with ./parts.mjs', { DATABASE_URL })
      expect(server.printed()).to.include('Its store is the one of --with.')
      const api = apiClient(server.url)
      const { token } = (await api.issueToken(keys)).body
      expect((await api.signIn(token, email, 'other')).status).to.equal(200)
      await api.close()
      expect(await server.end()).to.equal(0)
      expect(await run('events list --type UserSignedIn')).to.include('UserSignedIn')
      expect(existsSync(join(folder, 'data')), 'the standard store').to.equal(false)
    })

  it('works with a store without a tree, and reports that its history is not verifiable', async () => {
    const sentence = 'The history of this store is not verifiable: it does not implement LogTree.'
    const run = (words: string) =>
      portcullis(`--with ./parts.mjs ${words}`, {
        environment: { DATABASE_URL: '', EVENT_LOG_KEY: `2026:${'e'.repeat(64)}` },
      })
    expect((await run('application create --name plain')).status).to.equal(0)
    const checks: ReadonlyArray<Finding> = JSON.parse((await run('doctor --json')).out).checks
    expect(checks.find(({ name }) => name === 'history')).to.deep.equal({
      name: 'history',
      ok: true,
      detail: sentence,
    })
    for (const words of ['checkpoint', 'key', 'verify', 'export log'])
      expect(await run(`events ${words}`), words).to.deep.equal({ status: 1, out: '', err: `${sentence}\n` })
  })

  for (const [file, status, message] of MISTAKES)
    it(`exits with ${status} for ${file}`, async () => {
      const ended = await portcullis(`--with ./${file} user list`)
      expect(ended).to.deep.include({ status, out: '' })
      expect(ended.err.trim()).to.match(message)
    })

  it('says where a file must lie to find the package', async () => {
    const outside = mkdtempSync(join(tmpdir(), 'portcullis-'))
    try {
      writeFileSync(join(outside, 'parts.mjs'), FILES['mixed.mjs'])
      const ended = await portcullis(`--with ${outside}/parts.mjs user list`)
      expect(ended).to.deep.include({ status: 1, out: '' })
      expect(ended.err.trim()).to.match(
        /Cannot find package 'portcullis' .*parts\.mjs\. See docs\/deploy-parts\.md, Where the file lies\.$/,
      )
    } finally {
      rmSync(outside, { recursive: true })
    }
  })

  it('needs a file', async () => {
    expect(await portcullis('user list --with')).to.deep.include({ status: 2, out: '' })
  })

  it('refuses to back up a store that it does not know', async () => {
    const ended = await portcullis('--with parts.mjs backup copy.db')
    expect(ended).to.deep.include({ status: 1, out: '' })
    expect(ended.err).to.equal(
      'This command copies the standard stores only. Copy the store of --with with its own tool.\n',
    )
  })

  it('serves on if its output cannot be written, wherever the option stands', async () => {
    const port = await freePort()
    const environment = { PORT: String(port), OUT_TO: '/dev/full', DATABASE_URL: 'memory:' }
    void portcullis('--with named.mjs serve', { environment })
    const api = apiClient(`http://127.0.0.1:${port}`)
    const kids = await eventually('the service listens', () => api.publishedKids().catch(() => undefined))
    expect(kids.length).to.be.above(0)
    expect(await api.publishedKids()).to.deep.equal(kids)
    await api.close()
  })
})
