import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { extname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect } from 'chai'
import { processWorkplace } from '../support/command.ts'
import { eventually } from '../support/eventually.ts'
import { ledger } from './ledger.ts'
import { NAMESPACE, needs, needsMounts } from './machine.ts'
import { asking } from './requests.ts'
import { cast, ENVIRONMENT } from './stage.ts'
import { within } from './until.ts'

/** The process of a PostgreSQL on a small disk that only it can see. */
const startSmallPostgres = (disk: string): ChildProcess => {
  const extension = extname(import.meta.url)
  const program = fileURLToPath(new URL(`./small-postgres-process${extension}`, import.meta.url))
  const loader = extension === '.ts' ? ['--import', import.meta.resolve('tsx')] : []
  const mount = 'mount -t tmpfs -o size=48m,mode=755 tmpfs "$0" && exec "$@"'
  return spawn(
    'unshare',
    [...NAMESPACE, 'sh', '-c', mount, disk, process.execPath, ...loader, program, disk],
    {
      stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
    },
  )
}

describe('a server whose PostgreSQL', () => {
  const place = processWorkplace()
  const disk = mkdtempSync(join(tmpdir(), 'portcullis-small-'))
  chmodSync(disk, 0o755) // the user of PostgreSQL must enter it
  after(() => {
    place.remove()
    rmSync(disk, { recursive: true, force: true })
  })

  it('has no room is not ready as long as no sign-in succeeds', async function () {
    needsMounts(this)
    needs(this, 'root, which can start PostgreSQL in a namespace', ['sh', '-c', 'test "$(id -u)" = 0'])
    const postgres = startSmallPostgres(disk)
    const told = async (): Promise<string> => String((await once(postgres, 'message'))[0])
    const order = (what: 'fill' | 'free' | 'end') => {
      postgres.send(what)
      return within(`the disk: ${what}`, told())
    }
    try {
      const environment = { DATABASE_URL: await within('PostgreSQL starts', told()) }
      const portcullis: typeof place.portcullis = (words, options = {}) =>
        place.portcullis(words, { ...options, environment })
      const book = ledger()
      const everybody = await within('the users are made', cast({ portcullis }, book, 1))
      const server = await within(
        'the server listens',
        place.serve('serve', { ...ENVIRONMENT, LOG_LEVEL: 'silent', ...environment }),
      )
      const ask = asking(server.port, everybody, book)
      const token = (await ask.applicationToken()).body.token
      const [person] = everybody.people
      if (person === undefined) throw new Error('there is no user')
      const readyz = async () => (await fetch(`http://127.0.0.1:${server.port}/readyz`)).status
      const signIn = async () => (await ask.signIn(person, person.password, token)).status
      await order('fill')
      await within(
        'a sign-in is refused',
        (async () => {
          while ((await signIn()) !== 503);
        })(),
      )
      const seen: Array<readonly [signIn: number | undefined, readyz: number]> = []
      for (let times = 1; times <= 20; times += 1) seen.push([await signIn(), await readyz()])
      expect(seen.filter(([, ready]) => ready !== 503)).to.deep.equal([])
      await order('free')
      await eventually('it is ready again', async () => ((await readyz()) === 200 ? true : undefined))
      expect([await signIn(), await readyz()]).to.deep.equal([200, 200])
      ask.close()
      await within('the server stops', server.end())
    } finally {
      await order('end')
    }
  })
})
