import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs'
import { join, relative } from 'node:path'
import { expect } from 'chai'
import { needsOf, production, readLock } from '../supply-chain/lock.ts'
import { apiClient } from '../support/api-client.ts'
import { freePort } from '../support/command.ts'
import { httpClient } from '../support/http-client.ts'
import { last } from './dockerfile.ts'
import { builtHere, CAN_BE_OTHERS, IMAGE, isHealthy, runOther, runWords, serve } from './image.ts'

const PASSWORD = 'nine purple otters sing'

/** The paths of all files, with their sizes and modification times. */
const filesIn = (folder: string): ReadonlyArray<string> =>
  readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .map((name) => ({ name, found: statSync(join(folder, name)) }))
    .map(({ name, found }) => `${name} ${found.isFile() ? `${found.size} ${found.mtimeMs}` : ''}`)

describe('the result of the Dockerfile', function () {
  this.timeout(300_000) // npm prunes all installed packages
  let workdir: string
  let data: string
  let remove: (() => void) | undefined
  before(function () {
    // There, another SQLite driver than the locked one is installed, and npm would ask a registry.
    if (process.versions.node.startsWith('24.')) this.skip()
    const built = builtHere()
    workdir = built.workdir
    remove = built.remove
    data = join(workdir, relative(last(IMAGE, 'WORKDIR')?.text ?? '', last(IMAGE, 'VOLUME')?.words[0] ?? ''))
  })
  after(() => remove?.())

  it('contains exactly the production packages', () => {
    const lock = readLock()
    const wanted = production(lock).filter((path) => path !== '' && existsSync(path))
    const installed = JSON.parse(readFileSync(join(workdir, 'node_modules/.package-lock.json'), 'utf8'))
    expect(Object.keys(installed.packages)).to.have.members(wanted)
    expect(needsOf(lock, '').length).to.be.greaterThan(wanted.length / 10)
    const binary = 'node_modules/better-sqlite3/build/Release/better_sqlite3.node'
    expect(existsSync(join(workdir, binary))).to.equal(true)
    expect(existsSync(join(workdir, 'node_modules/better-sqlite3/deps'))).to.equal(false)
    expect(existsSync(join(workdir, 'node_modules/typescript'))).to.equal(false)
  })

  it('contains the service without sources and tests', () => {
    expect(readdirSync(workdir)).to.have.members(['LICENSE', 'data', 'dist', 'node_modules', 'package.json'])
    const made = readdirSync(join(workdir, 'dist')).filter((name) => !name.startsWith('.'))
    expect(made).to.have.members(['domain', 'application', 'adapters'])
    const left = readdirSync(join(workdir, 'dist'), { recursive: true, encoding: 'utf8' })
    expect(left.filter((name) => /(?<!\.d)\.ts$|\.test\./.test(name))).to.deep.equal([])
  })

  it('can write to its volume only, and has no capabilities', async function () {
    if (!CAN_BE_OTHERS) {
      if (this.test) this.test.title += ' (skipped: only root can run it as another user)'
      this.skip()
    }
    const tries = await runOther(
      workdir,
      'sh',
      '-c',
      'id -u; for path in ./x dist/x node_modules/x package.json data/x; do (: >> "$path") 2>/dev/null && echo "$path"; done; rm data/x; grep -E "^(CapEff|CapBnd|NoNewPrivs)" /proc/self/status | tr -d "\\t"',
    )
    expect(tries.out).to.equal(
      '1000\ndata/x\nCapEff:0000000000000000\nCapBnd:0000000000000000\nNoNewPrivs:1\n',
    )
  })

  it('serves, is healthy, runs commands meanwhile, stores data in the volume and stops on request', async () => {
    const before = filesIn(workdir).filter((path) => !path.startsWith('data'))
    const METRICS_PORT = String(await freePort())
    const settings = { PORT: String(await freePort()), METRICS_PORT, PUBLIC_URL: 'https://auth.example.com' }
    expect(await isHealthy(workdir, settings), 'before the start').to.equal(false)
    const stop = await serve(workdir, settings)
    try {
      expect(await isHealthy(workdir, settings)).to.equal(true)
      const { out } = await runWords(workdir, 'application create --name shop --json')
      const user = await runWords(
        workdir,
        'user create --email ada@example.com --password-stdin',
        {},
        PASSWORD,
      )
      expect(user).to.include({ status: 0, err: '' })
      const api = apiClient(`http://127.0.0.1:${settings.PORT}`)
      const { token } = (await api.issueToken(JSON.parse(out))).body
      expect((await api.signIn(token, 'ada@example.com', PASSWORD)).status).to.equal(200)
      await api.close()
      const { send, close } = httpClient(`http://127.0.0.1:${settings.PORT}`)
      const body = { email: 'bob@example.com', password: 'too short' }
      const refused = await send({ method: 'POST', path: '/api/v1/users', token, body })
      expect([refused.status, refused.body.errors[0].code], 'a weak password').to.deep.equal([422, 6])
      expect((await send({ method: 'GET', path: '/metrics' })).status, 'the public port').to.equal(404)
      await close()
      expect((await fetch(`http://127.0.0.1:${METRICS_PORT}/metrics`)).status).to.equal(200)
    } finally {
      expect(await stop()).to.equal(0)
    }
    expect(await isHealthy(workdir, settings), 'after the stop').to.equal(false)
    expect(readdirSync(data)).to.deep.equal(['portcullis.db'])
    expect(statSync(join(data, 'portcullis.db')).mode & 0o777).to.equal(0o600)
    expect(filesIn(workdir).filter((path) => !path.startsWith('data'))).to.deep.equal(before)
  })

  it('keeps its data across a restart, and doctor confirms it', async () => {
    const { status, out, err } = await runWords(workdir, 'user list --json')
    expect([status, err]).to.deep.equal([0, ''])
    expect(out).to.match(/^.*"ada@example.com".*\n$/)
    expect((await runWords(workdir, 'doctor')).out).to.match(/^ok +log /m)
  })

  it('refuses to start with invalid settings and names them', async () => {
    const { status, err } = await runWords(workdir, 'serve', { PORT: '0', PUBLIC_URL: 'auth' })
    expect(status).to.equal(78)
    expect(err).to.include('PORT must be').and.to.include('PUBLIC_URL must be')
  })
})
