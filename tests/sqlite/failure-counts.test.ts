import { existsSync, mkdirSync, rmdirSync } from 'node:fs'
import { expect } from 'chai'
import { none, some } from 'fp-ts/lib/Option.js'
import { digestOfKey } from '../../adapters/stores/records/count-key.ts'
import { sqliteFailureCounts } from '../../adapters/stores/sqlite/failure-counts.ts'
import { sqliteStore } from '../../adapters/stores/sqlite/store.ts'
import { KEPT_AT_MOST } from '../../application/ports/failure-counts.ts'
import { fail, succeed } from '../support/outcome.ts'
import {
  countOne,
  failures,
  keep,
  keepingAtMost,
  NOW,
  read,
  remove,
} from '../testkit/failure-counts/steps.ts'
import { onFile } from './folder.ts'
import { withRaw } from './raw.ts'

describe('failure counts in a SQLite file', () => {
  it(
    'open the file at the first count and release it on close',
    onFile(async (path) => {
      const counts = sqliteFailureCounts(path, () => NOW)
      expect(existsSync(path)).to.equal(false)
      await succeed(countOne(counts, 'key'))
      expect(existsSync(`${path}-wal`)).to.equal(true)
      await counts.close()
      expect([existsSync(path), existsSync(`${path}-wal`)]).to.deep.equal([true, false])
    }),
  )

  it(
    'report a file that cannot be opened, and retry each time',
    onFile(async (path) => {
      mkdirSync(path)
      const counts = sqliteFailureCounts(path, () => NOW)
      expect(await fail(countOne(counts, 'key'))).to.deep.equal({
        _tag: 'StoreUnavailable',
        reason: `The database ${path} cannot be used: it is a folder. Name a file in DATABASE_URL.`,
      })
      rmdirSync(path)
      expect(await succeed(countOne(counts, 'key'))).to.equal(0)
      await counts.close()
    }),
  )

  for (const column of ['count', 'refused_until', 'forgotten_from']) {
    for (const value of ['9007199254740993', '-9223372036854775808', '9223372036854775807']) {
      it(
        `treat a damaged row as empty, and count from 0: ${column} ${value}`,
        onFile(async (path) => {
          const counts = sqliteFailureCounts(path, () => NOW)
          await keep(counts, 'key', failures(3))
          await keep(counts, 'another', failures(7))
          withRaw(path, (db) => db.exec(`UPDATE failure_counts SET ${column} = ${value} WHERE count = 3`))
          expect(await read(counts, 'key')).to.deep.equal(none)
          expect(await succeed(countOne(counts, 'key'))).to.equal(0)
          expect(await read(counts, 'key')).to.deep.equal(some(failures(1)))
          expect(await read(counts, 'another')).to.deep.equal(some(failures(7)))
          await counts.close()
        }),
      )
    }
  }

  it(
    'fail alone when they cannot be stored, without failing their neighbours',
    onFile(async (path) => {
      const counts = sqliteFailureCounts(path, () => NOW)
      const outcomes = await Promise.all([
        countOne(counts, 'key')(),
        counts.update({ kind: 'account', key: 'half' }, () => ({ kept: some(failures(0.5)), answer: 0 }))(),
        countOne(counts, 'key')(),
      ])
      expect(outcomes.map(({ _tag }) => _tag)).to.deep.equal(['Right', 'Left', 'Right'])
      expect(await read(counts, 'key')).to.deep.equal(some(failures(2)))
      expect(await read(counts, 'half')).to.deep.equal(none)
      await counts.close()
    }),
  )

  it(
    'remove a few expired rows with each new count',
    onFile(async (path) => {
      let now = NOW
      const counts = sqliteFailureCounts(path, () => now)
      for (let each = 0; each < 40; each += 1)
        await keep(counts, `over ${each}`, failures(1, { forgottenFrom: NOW + 1_000 }))
      now += 999
      await keep(counts, 'new 1', failures(1))
      expect(rowsIn(path)).to.equal(41)
      now += 1
      for (let each = 1; each <= 20; each += 1) await keep(counts, `new ${each}`, failures(1))
      expect(rowsIn(path)).to.equal(20)
      await counts.close()
    }),
  )

  it(
    'keep at most the configured number of keys of a kind, also when more exist already',
    onFile(async (path) => {
      const counts = sqliteFailureCounts(path, () => NOW)
      await sqliteStore(path).close()
      fill(path, KEPT_AT_MOST.account + 500)
      await keep(counts, 'newest', failures(1))
      expect(rowsIn(path)).to.equal(KEPT_AT_MOST.account)
      expect(await read(counts, 'key 501')).to.deep.equal(none)
      expect(await read(counts, 'key 502')).to.not.deep.equal(none)
      await counts.close()
    }),
  )

  it(
    'keep at most a few keys of a kind above the limit, and do not count deleted keys',
    onFile(async (path) => {
      const counts = sqliteFailureCounts(path, () => NOW, keepingAtMost(100))
      for (let each = 0; each < 80; each += 1) await keep(counts, `kept ${each}`, failures(1))
      for (let each = 0; each < 80; each += 1) {
        await keep(counts, `forgotten ${each}`, failures(1))
        await remove(counts, `forgotten ${each}`)
      }
      expect(rowsIn(path)).to.equal(80)
      for (let each = 0; each < 300; each += 1) await keep(counts, `more ${each}`, failures(1))
      expect(rowsIn(path)).to.be.within(100, 110)
      await counts.close()
    }),
  )

  it(
    'keep what another process has written, when it is not too much for the kind',
    onFile(async (path) => {
      const limits = keepingAtMost(100)
      const [one, other] = [1, 2].map(() => sqliteFailureCounts(path, () => NOW, limits))
      if (one === undefined || other === undefined) throw new Error('no counts')
      for (let each = 0; each < 50; each += 1) await keep(one, `one ${each}`, failures(1))
      for (let each = 0; each < 50; each += 1) await keep(other, `other ${each}`, failures(1))
      expect(rowsIn(path)).to.equal(100)
      for (let each = 0; each < 400; each += 1)
        await keep(each % 2 === 0 ? one : other, `more ${each}`, failures(1))
      expect(rowsIn(path)).to.be.within(80, 220)
      await Promise.all([one.close(), other.close()])
    }),
  )

  it(
    'know how many keys there are after writes that failed',
    onFile(async (path) => {
      const counts = sqliteFailureCounts(path, () => NOW, keepingAtMost(100))
      for (let each = 0; each < 20; each += 1) await keep(counts, `kept ${each}`, failures(1))
      withRaw(path, (db) =>
        db.exec(`CREATE TRIGGER full BEFORE INSERT ON failure_counts WHEN new.kind = 'recoveries'
          BEGIN SELECT raise(ROLLBACK, 'full'); END`),
      )
      const full = () =>
        counts.update({ kind: 'recoveries', key: 'full' }, () => ({ kept: some(failures(1)), answer: 0 }))
      for (let each = 0; each < 10; each += 1)
        await Promise.all([
          ...Array.from({ length: 20 }, (_, lost) =>
            counts.update({ kind: 'account', key: `lost ${each} ${lost}` }, () => ({
              kept: some(failures(1)),
              answer: 0,
            }))(),
          ),
          full()(),
        ])
      expect(rowsIn(path)).to.equal(20)
      for (let each = 0; each < 80; each += 1) await keep(counts, `more ${each}`, failures(1))
      expect(rowsIn(path)).to.equal(100)
      await counts.close()
    }),
  )
})

/** Inserts so many keys with one failure. Each ends later than the one before it. */
const fill = (path: string, keys: number): unknown =>
  withRaw(path, (db) => {
    db.function('digest_of', (key) => digestOfKey(String(key)))
    db.exec(`WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ${keys})
      INSERT INTO failure_counts SELECT digest_of('key ' || i), 'account', 1, 0, ${NOW} + i FROM n`)
  })

const rowsIn = (path: string): unknown =>
  withRaw(path, (db) => db.prepare('SELECT count(*) FROM failure_counts').pluck().get())
