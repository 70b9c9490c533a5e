import { type ChildProcess, execFileSync, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { closeSync, constants, mkdtempSync, openSync, rmSync, writeSync } from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect } from 'chai'
import { request } from 'undici'
import { freePort, main } from '../support/command.ts'
import { eventually } from '../support/eventually.ts'
import { CHEAP } from '../support/settings.ts'

/** Loads modules from source, if the tests run from source. */
const LOADER = main.endsWith('.ts') ? ['--import', import.meta.resolve('tsx')] : []

describe('a process whose output is read by a program that has stalled', () => {
  const folder = mkdtempSync(join(tmpdir(), 'portcullis-'))
  const pipe = join(folder, 'pipe')
  let full = -1
  let running: ChildProcess | undefined

  /** A pipe without any room, whose reader is open and reads nothing. */
  before(() => {
    execFileSync('mkfifo', [pipe])
    full = openSync(pipe, constants.O_RDWR | constants.O_NONBLOCK)
    expect(() => {
      for (;;) writeSync(full, '.'.repeat(4096))
    }).to.throw('EAGAIN')
  })
  afterEach(() => running?.kill('SIGKILL'))
  after(() => {
    closeSync(full)
    rmSync(folder, { recursive: true, force: true })
  })

  const start = (words: ReadonlyArray<string>, environment: Record<string, string>): ChildProcess => {
    const stalled = openSync(pipe, 'w') // a description of its own: the flags of the other one are not shared
    running = spawn(process.execPath, [...LOADER, main, ...words], {
      stdio: ['ignore', stalled, stalled],
      cwd: folder,
      env: { PATH: process.env.PATH, ...CHEAP, ...environment },
    })
    closeSync(stalled)
    return running
  }

  const answers = (url: string): Promise<number> =>
    eventually('it answers', async () => (await request(url).catch(() => undefined))?.statusCode)

  for (const [signal, level] of [
    ['SIGTERM', 'info'],
    ['SIGINT', 'debug'],
    ['SIGTERM', 'silent'],
  ] as const)
    it(`answers, and ends with status 0 after ${signal}, with LOG_LEVEL=${level}`, async () => {
      const port = String(await freePort())
      const server = start(['serve'], { PORT: port, LOG_LEVEL: level })
      const url = `http://127.0.0.1:${port}`
      expect(await answers(`${url}/readyz`)).to.equal(200)
      for (let times = 0; times < 100; times += 1)
        expect((await request(`${url}/api/v1/profile`)).statusCode).to.equal(401)
      server.kill(signal)
      expect(await once(server, 'exit')).to.deep.equal([0, null])
    })

  it('ends with status 1 if it cannot listen', async () => {
    const taken = createServer().listen(0, '127.0.0.1')
    await once(taken, 'listening')
    const server = start(['serve'], { PORT: String(Object(taken.address()).port) })
    expect(await once(server, 'exit')).to.deep.equal([1, null])
    taken.close()
  })

  it('makes no first accounts, whose secrets nothing reads, and ends with status 1 after SIGTERM', async () => {
    const [port, database] = [String(await freePort()), `sqlite:${join(folder, 'first.db')}`]
    const server = start(['serve', '--first-run'], { PORT: port, DATABASE_URL: database })
    expect(await answers(`http://127.0.0.1:${port}/readyz`)).to.equal(200)
    server.kill('SIGTERM')
    expect(await once(server, 'exit')).to.deep.equal([1, null])
    const list = spawnSync(process.execPath, [...LOADER, main, 'user', 'list'], {
      env: { PATH: process.env.PATH, ...CHEAP, DATABASE_URL: database },
    })
    expect(list.stdout.toString()).to.equal('')
  })
})
