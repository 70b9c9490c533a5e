import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'chai'
import { needsOf, production, readLock } from '../supply-chain/lock.ts'
import { apiClient } from '../support/api-client.ts'
import { freePort } from '../support/command.ts'
import { httpClient } from '../support/http-client.ts'
import { AS, IS_CONFINED, isHealthy, runOther, runWords, serve } from './container.ts'
import { type Image, makeImage, volumesOf, workdirOf } from './image.ts'

const PASSWORD = 'nine purple otters sing'

/** The paths of all files, with their sizes and when they were changed. */
const filesIn = (folder: string): ReadonlyArray<string> =>
  readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .map((name) => ({ name, found: statSync(join(folder, name)) }))
    .map(({ name, found }) => `${name} ${found.isFile() ? `${found.size} ${found.mtimeMs}` : ''}`)

describe(`the image, made without an engine and run ${AS}`, function () {
  this.timeout(300_000) // every package is installed, as npm does it
  let image: Image
  let data: string
  before(async function () {
    // Make would take another driver of SQLite there, which the registry of the tests does not have.
    if (process.versions.node.startsWith('24.')) this.skip()
    image = await makeImage()
    data = volumesOf(image)[0] ?? ''
  })
  after(() => image?.remove())

  it('holds what production needs of the packages, and nothing of them besides', () => {
    const lock = readLock()
    const wanted = production(lock).filter((path) => path !== '' && existsSync(path))
    const installed = JSON.parse(
      readFileSync(join(workdirOf(image), 'node_modules/.package-lock.json'), 'utf8'),
    )
    expect(Object.keys(installed.packages)).to.have.members(wanted)
    expect(needsOf(lock, '').length).to.be.greaterThan(wanted.length / 10)
    const binary = 'node_modules/better-sqlite3/build/Release/better_sqlite3.node'
    expect(existsSync(join(workdirOf(image), binary))).to.equal(true)
    expect(existsSync(join(workdirOf(image), 'node_modules/better-sqlite3/deps'))).to.equal(false)
    expect(existsSync(join(workdirOf(image), 'node_modules/typescript'))).to.equal(false)
  })

  it('holds the service, and neither its sources nor its tests', () => {
    expect(readdirSync(workdirOf(image))).to.have.members([
      'LICENSE',
      'data',
      'dist',
      'node_modules',
      'package.json',
    ])
    const made = readdirSync(join(workdirOf(image), 'dist')).filter((name) => !name.startsWith('.'))
    expect(made).to.have.members(['domain', 'application', 'adapters'])
    const left = readdirSync(join(workdirOf(image), 'dist'), { recursive: true, encoding: 'utf8' })
    expect(left.filter((name) => /(?<!\.d)\.ts$|\.test\./.test(name))).to.deep.equal([])
  })

  it('can write to its volume and nowhere else, and is nobody of importance', async function () {
    if (!IS_CONFINED) this.skip()
    const tries = await runOther(
      image,
      'sh',
      '-c',
      'id -u; for path in /x /tmp/x /dev/shm/x ./x data/x; do (: > "$path") 2>/dev/null && echo "$path"; done; rm data/x; grep -E "^(CapEff|CapBnd|NoNewPrivs)" /proc/self/status | tr -d "\\t"',
    )
    expect(tries.out).to.equal(
      '1000\ndata/x\nCapEff:0000000000000000\nCapBnd:0000000000000000\nNoNewPrivs:1\n',
    )
  })

  it('serves, is found well, takes commands beside that, keeps its store in the volume, and stops when asked', async () => {
    const before = filesIn(workdirOf(image)).filter((path) => !path.startsWith('data'))
    const METRICS_PORT = String(await freePort())
    const settings = { PORT: String(await freePort()), METRICS_PORT, PUBLIC_URL: 'https://auth.example.com' }
    expect(await isHealthy(image, settings), 'before it is there').to.equal(false)
    const service = await serve(image, settings)
    try {
      expect(await isHealthy(image, settings)).to.equal(true)
      const { out } = await runWords(image, 'application create --name shop --json')
      const user = await runWords(image, 'user create --email ada@example.com --password-stdin', {}, PASSWORD)
      expect(user).to.include({ status: 0, err: '' })
      const api = apiClient(`http://127.0.0.1:${settings.PORT}`)
      const { token } = (await api.issueToken(JSON.parse(out))).body
      expect((await api.signIn(token, 'ada@example.com', PASSWORD)).status).to.equal(200)
      await api.close()
      const { send, close } = httpClient(`http://127.0.0.1:${settings.PORT}`)
      const body = { email: 'bob@example.com', password: 'too short' }
      const refused = await send({ method: 'POST', path: '/api/v1/users', token, body })
      expect([refused.status, refused.body.errors[0].code], 'a weak password').to.deep.equal([422, 5])
      expect((await send({ method: 'GET', path: '/metrics' })).status, 'where all come to').to.equal(404)
      await close()
      expect((await fetch(`http://127.0.0.1:${METRICS_PORT}/metrics`)).status).to.equal(200)
    } finally {
      expect(await service.stop()).to.equal(0)
    }
    expect(await isHealthy(image, settings), 'when it is gone').to.equal(false)
    expect(readdirSync(data)).to.deep.equal(['portcullis.db'])
    expect(statSync(join(data, 'portcullis.db')).mode & 0o777).to.equal(0o600)
    expect(filesIn(workdirOf(image)).filter((path) => !path.startsWith('data'))).to.deep.equal(before)
  })

  it('finds all again when it is started anew, as doctor does', async () => {
    const { status, out, err } = await runWords(image, 'user list --json')
    expect([status, err]).to.deep.equal([0, ''])
    expect(out).to.match(/^.*"ada@example.com".*\n$/)
    expect((await runWords(image, 'doctor')).out).to.match(/^ok +log /m)
  })

  it('does not start with wrong settings, and says which', async () => {
    const { status, err } = await runWords(image, 'serve', { PORT: '0', PUBLIC_URL: 'auth' })
    expect(status).to.equal(78)
    expect(err).to.include('PORT:').and.to.include('PUBLIC_URL:')
  })
})
