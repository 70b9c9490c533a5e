import { mkdirSync } from 'node:fs'
import { dirname } from 'node:path'
import { expect } from 'chai'
import { openDatabase } from '../../adapters/stores/postgres/database.ts'
import { openDatabase as openFile } from '../../adapters/stores/sqlite/database.ts'
import { type LogTree, type StoredTree, treeOf } from '../../application/ports/log-tree.ts'
import { apiClient, type KeyPair } from '../support/api-client.ts'
import { processWorkplace, type Serving } from '../support/command.ts'
import { eventually } from '../support/eventually.ts'
import { httpClient } from '../support/http-client.ts'
import { succeed } from '../support/outcome.ts'
import { postgres } from '../support/postgres.ts'
import { CAN_SEE_PROCESSES, residentMemoryOf } from '../support/processes.ts'
import { SHARED_STORES } from '../support/stores.ts'

const ENTRIES = 200_000

/** In MB: enough for a service, and too little for the lines of the log. */
const HEAP = 64

/** In kB: above every measurement. V8 postpones collection when memory is plentiful. */
const MOST = 256 * 1024

const SETTINGS = {
  PUBLIC_URL: 'https://id.example.com',
  EVENT_LOG_KEY: `2026:${'e'.repeat(64)}`,
  NODE_OPTIONS: `--max-old-space-size=${HEAP}`,
  LOG_LEVEL: 'error',
}

const DATA = JSON.stringify({
  token_id: 't'.repeat(36),
  key_id: 'k'.repeat(36),
  expires_at: '2026-02-03T04:05:06.000Z',
})
const FILL = (log: string, numbers: string) => `
  INSERT INTO ${log} (position, id, type, version, at, subject_kind, subject_id, actor_kind, actor_id, data)
  SELECT n, 'entry-' || n, 'ApplicationTokenIssued', 1, '2026-01-02T03:04:05.678Z', 'application', 'app', 'application', 'app', '${DATA}'
  FROM ${numbers} ORDER BY n`

/** A store with a long log and no tree yet: its DATABASE_URL and its removal. */
type Filled = Readonly<{ url: string; remove: () => Promise<void> }>

const filledFile = async (path: string): Promise<Filled> => {
  mkdirSync(dirname(path), { recursive: true })
  const db = openFile(path)
  db.exec(`WITH RECURSIVE numbers (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM numbers WHERE n < ${ENTRIES})
    ${FILL('log', 'numbers')}`)
  db.close()
  return { url: `sqlite:${path}`, remove: async () => {} }
}

const filledDatabase = async (): Promise<Filled> => {
  if (postgres === undefined) throw new Error('there is no PostgreSQL')
  const { url, drop } = await postgres.newDatabase()
  await openDatabase({ url, place: 'a database of the tests' })
  await postgres.ask(
    `SET session_replication_role = replica;
     ${FILL('portcullis.log', `generate_series(1, ${ENTRIES}) AS numbers (n)`)};
     UPDATE portcullis.head SET position = ${ENTRIES}`,
    new URL(url).pathname.slice(1),
  )
  return { url, remove: drop }
}

for (const { name, openStore } of SHARED_STORES)
  describe(`the tree of a log of ${ENTRIES} entries on ${name}, which begins behind it`, () => {
    let filled: Filled
    const place = processWorkplace(undefined, () => ({ ...SETTINGS, DATABASE_URL: filled.url }))
    let log: LogTree
    let close: () => Promise<void>
    let server: Serving
    let keys: KeyPair
    let auditor: KeyPair
    before(async function () {
      this.timeout(120_000)
      filled = await (name === 'SQLite' ? filledFile(place.database) : filledDatabase())
      keys = await created('shop')
      auditor = await created('auditor --scope events:read')
      const store = await openStore(filled.url)
      close = store.close
      const found = treeOf(store)
      if (found === undefined) throw new Error('the store has no tree')
      log = found
    })
    after(async () => {
      await close()
      place.remove()
      await filled.remove()
    })
    const created = async (words: string): Promise<KeyPair> => {
      const { out, err } = await place.portcullis(`application create --json --name ${words}`)
      expect(err).to.equal('')
      return JSON.parse(out)
    }
    const tree = () => succeed(log.readTree())
    const treeWhen = (what: string, holds: (stored: StoredTree) => boolean) =>
      eventually(what, async () => {
        const stored = await tree()
        return holds(stored) ? stored : undefined
      })

    let stoppedAt = 0

    it('is not finished by a service that is stopped meanwhile, nor does it delay the stop', async () => {
      server = await place.serve('serve', SETTINGS)
      await treeWhen('the tree has entries', ({ size }) => size > 0)
      expect(await server.end('SIGTERM'), server.logged()).to.equal(0)
      const { size, note, entries } = await tree()
      stoppedAt = size
      expect({ size, note }, 'no checkpoint yet').to.deep.equal({ size: size - (size % 4_096), note: '' })
      expect(size).to.be.lessThan(entries)
      const { status, out, err } = await place.portcullis('events verify')
      expect(status, out + err).to.equal(0)
    }).timeout(60_000)

    it('continues after a restart while requests are answered, in limited memory, and has a checkpoint at its end', async () => {
      server = await place.serve('serve', SETTINGS)
      const client = apiClient(server.url)
      const { body } = await client.issueToken(auditor)
      const { send, close: closeClient } = httpClient(server.url)
      const sizes: Array<number> = []
      let most = 0
      let answered = 0
      for (;;) {
        expect((await client.issueToken(keys)).status).to.equal(200)
        answered += 1
        if (CAN_SEE_PROCESSES) most = Math.max(most, residentMemoryOf(server.pid))
        const { size } = await tree()
        sizes.push(size)
        const checkpoint = await send({ method: 'GET', path: '/api/v1/log/checkpoint', token: body.token })
        if (checkpoint.status === 404) continue
        expect(checkpoint.status).to.equal(200)
        expect(Number(checkpoint.body.split('\n')[1])).to.be.greaterThan(ENTRIES)
        break
      }
      await Promise.all([client.close(), closeClient()])
      expect(answered).to.be.greaterThan(10)
      expect(sizes[0]).to.be.at.least(stoppedAt)
      expect(sizes, 'it only grows').to.deep.equal(sizes.toSorted((one, other) => one - other))
      expect(most).to.be.lessThan(MOST)
      await treeWhen('a checkpoint of all entries', ({ size, entries }) => size === entries)
      expect([await server.end(), server.logged()]).to.deep.equal([0, ''])
      const { status, out, err } = await place.portcullis('events verify')
      expect(status, out + err).to.equal(0)
    }).timeout(120_000)
  })
