import { existsSync, mkdirSync, readFileSync, rmSync, statSync, truncateSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'chai'
import { isNone } from 'fp-ts/lib/Option.js'
import { memoryStore } from '../../adapters/stores/memory/store.ts'
import { positionsSql } from '../../adapters/stores/sqlite/read-model-query.ts'
import { sqliteStore } from '../../adapters/stores/sqlite/store.ts'
import { catchUp } from '../../application/log/catch-up.ts'
import type { EntryFilter } from '../../application/ports/read-model.ts'
import { aLastingEntry, append, aRefusal, EVERY, modelIn } from '../support/modelled-log.ts'
import { succeed } from '../support/outcome.ts'
import { startProcess } from './another-process.ts'
import { inFolder } from './folder.ts'
import { withRaw } from './raw.ts'

const refusals = (count: number) =>
  Array.from({ length: count }, () => aRefusal('wrong_password', { user: USER, application: 'shop' }))
const USER = '01a20174-df88-73a9-824c-e68568364965'

/** A log of 2,500 entries, and a model that has followed it, in a file that nothing has open. */
const followed = async (folder: string) => {
  const store = memoryStore()
  await append(store, ...refusals(2_500))
  const path = join(folder, 'new', 'log.read-model')
  const model = modelIn(path)
  await succeed(catchUp({ store, model }))
  await model.close()
  return { store, path }
}

type Log = Awaited<ReturnType<typeof followed>>

/** The positions that a model has after it has followed the log, and how often its file was built again. */
const opened = async ({ store, path }: Log) => {
  const model = modelIn(path)
  await succeed(catchUp({ store, model }))
  const { positions } = await succeed(model.find(EVERY))
  await model.close()
  return [positions.length, model.rebuilds()]
}

describe('the file of a read model', () => {
  it(
    'is private, and so is its new folder',
    inFolder(async (folder) => {
      const { path } = await followed(folder)
      expect(statSync(path).mode & 0o777).to.equal(0o600)
      expect(statSync(join(folder, 'new')).mode & 0o777).to.equal(0o700)
      for (const end of ['-wal', '-shm']) expect(existsSync(`${path}${end}`)).to.equal(false)
    }),
  )

  const LOSSES: Readonly<Record<string, (log: Log) => Promise<void>>> = {
    'was deleted': async ({ path }) => rmSync(path),
    'was truncated to nothing': async ({ path }) => truncateSync(path, 0),
    'was deleted, but not its write-ahead log': async ({ store, path }) => {
      const model = modelIn(path)
      await append(store, ...refusals(1))
      await succeed(catchUp({ store, model }))
      const wal = readFileSync(`${path}-wal`)
      await model.close()
      rmSync(path)
      writeFileSync(`${path}-wal`, wal)
    },
  }
  for (const [what, lose] of Object.entries(LOSSES))
    it(
      `is built without a word if it ${what}`,
      inFolder(async (folder) => {
        const log = await followed(folder)
        await lose(log)
        const whole = await succeed(log.store.readEvents({ after: 0, limit: 9_999 }))
        expect(await opened(log)).to.deep.equal([whole.length, 0])
      }),
    )

  const DAMAGES: Readonly<Record<string, (path: string) => void>> = {
    'is cut short': (path) => truncateSync(path, 8_192 + 100),
    'is overwritten behind its header': (path) => {
      const bytes = readFileSync(path)
      writeFileSync(path, bytes.fill(0xff, 100))
    },
    'has a page of nonsense': (path) => {
      const bytes = readFileSync(path)
      writeFileSync(path, bytes.fill(0xee, 5 * 4_096, 7 * 4_096))
    },
    'has another schema': (path) => withRaw(path, (db) => db.pragma('user_version = 999')),
  }
  for (const [what, damage] of Object.entries(DAMAGES))
    it(
      `is built again if it ${what}, which is told once`,
      inFolder(async (folder) => {
        const log = await followed(folder)
        damage(log.path)
        expect(await opened(log)).to.deep.equal([2_500, 1])
        expect(await opened(log)).to.deep.equal([2_500, 0])
      }),
    )

  it(
    'is built again if it is damaged while it is in use',
    inFolder(async (folder) => {
      const { store, path } = await followed(folder)
      const model = modelIn(path)
      await append(store, ...refusals(1))
      const other = modelIn(path)
      await succeed(catchUp({ store, model: other }))
      await other.close()
      withRaw(path, (db) => db.pragma('wal_checkpoint(TRUNCATE)'))
      writeFileSync(path, readFileSync(path).fill(0xff, 100))
      const found = await succeed(model.find(EVERY))
      expect([isNone(found.state), found.positions, model.rebuilds()]).to.deep.equal([true, [], 1])
      await succeed(catchUp({ store, model }))
      expect((await succeed(model.find(EVERY))).positions).to.have.lengthOf(2_501)
      await model.close()
    }),
  )

  it(
    'may be deleted while it is in use',
    inFolder(async (folder) => {
      const log = await followed(folder)
      const model = modelIn(log.path)
      for (const end of ['', '-wal', '-shm']) rmSync(`${log.path}${end}`, { force: true })
      const other = modelIn(log.path)
      await append(log.store, ...refusals(1))
      for (const one of [model, other]) {
        await succeed(catchUp({ store: log.store, model: one }))
        expect((await succeed(one.find(EVERY))).positions).to.have.lengthOf(2_501)
      }
      await model.close()
      await other.close()
      expect(await opened(log)).to.deep.equal([2_501, 0])
    }),
  )

  const FOREIGN: Readonly<Record<string, (path: string) => unknown>> = {
    'a text': (path) => writeFileSync(path, 'Dear diary'),
    'a database of another program': (path) => withRaw(path, (db) => db.exec('CREATE TABLE t (a)')),
    'a store': (path) => sqliteStore(path).close(),
    'a folder': (path) => mkdirSync(path),
  }
  for (const [what, make] of Object.entries(FOREIGN))
    it(
      `must not be ${what}, which is refused in one sentence and stays as it is`,
      inFolder(async (folder) => {
        const path = join(folder, 'a-file')
        await make(path)
        const before = statSync(path).isFile() && readFileSync(path)
        expect(() => modelIn(path)).to.throw(/^The read model \S+a-file cannot be used: it is .+\.$/)
        expect(statSync(path).isFile() && readFileSync(path)).to.deep.equal(before)
      }),
    )

  it(
    'has no trace of a removed row',
    inFolder(async (folder) => {
      const { store, path } = await followed(folder)
      expect(readFileSync(path).includes(USER)).to.equal(true)
      const model = modelIn(path)
      const { epoch } = await succeed(catchUp({ store, model }))
      await succeed(model.keepOnly({ epoch, after: 0, through: 2_500, positions: [] }))
      await model.close()
      expect(readFileSync(path).includes(USER)).to.equal(false)
    }),
  )

  const PLANS: ReadonlyArray<readonly [EntryFilter, RegExp]> = [
    [{ user: USER, reason: 'wrong_password', since: 1 }, /SEARCH e USING INDEX entries_user \(user=\?/],
    [
      { application: 'shop', types: ['UserSignedIn'] },
      /SEARCH e USING COVERING INDEX entries_application \(application=\?/,
    ],
    [
      { reason: 'wrong_password', application: 'shop' },
      /SEARCH r USING (?:COVERING )?INDEX refusals_reason \(reason=\?/,
    ],
    [
      { types: ['UserSignedIn', 'SignInRefused'] },
      /SEARCH e USING COVERING INDEX entries_type \(type=\?.*SEARCH e USING COVERING INDEX entries_type \(type=\?/,
    ],
    [{ since: 1, until: 2 }, /SEARCH e USING INTEGER PRIMARY KEY/],
  ]
  for (const [filter, plan] of PLANS)
    it(
      `finds by ${Object.keys(filter).join(', ')} along an index, without sorting`,
      inFolder(async (folder) => {
        const { path } = await followed(folder)
        for (const isReverse of [false, true]) {
          const { sql, values } = positionsSql({ ...EVERY, filter, isReverse })
          const steps = withRaw(path, (db) => db.prepare(`EXPLAIN QUERY PLAN ${sql}`).all(values))
          const text = JSON.stringify(steps)
          expect(text).to.match(plan)
          expect(text).not.to.match(/TEMP B-TREE FOR ORDER BY/)
        }
      }),
    )
})

describe('processes that follow one log', () => {
  it(
    'leave whole pages behind when they are killed, and build one model together',
    inFolder(async (folder) => {
      const [path, model] = [join(folder, 'store.db'), join(folder, 'log.read-model')]
      const store = sqliteStore(path)
      await append(store, ...refusals(3_000), aLastingEntry())
      const killed = await startProcess()
      killed.begin({ act: 'catch up', path, model, diesIn: 3 })
      await killed.gone

      const after = modelIn(model)
      expect((await succeed(after.find(EVERY))).positions).to.have.lengthOf(2_000)
      expect(await succeed(after.state())).to.have.nested.property('value.position', 2_000)

      const workers = await Promise.all([startProcess(), startProcess(), startProcess()])
      for (const file of [model, join(folder, 'new', 'log.read-model')]) {
        const reports = await Promise.all(
          workers.map(({ ask }) => ask({ act: 'catch up', path, model: file })),
        )
        for (const report of reports)
          expect(report).to.deep.equal({ outcome: 'success', acknowledged: ['3001'] })
      }
      expect((await succeed(after.find(EVERY))).positions).to.have.lengthOf(3_001)
      expect(after.rebuilds()).to.equal(0)
      for (const { end } of workers) await end()
      await after.close()
      await store.close()
    }),
  )
})
