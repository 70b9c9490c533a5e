import { expect } from 'chai'
import { none, some } from 'fp-ts/lib/Option.js'
import { connectionsTo } from '../../adapters/stores/postgres/connections.ts'
import { postgresFailureCounts } from '../../adapters/stores/postgres/failure-counts.ts'
import { type FailureCounts, KEPT_AT_MOST } from '../../application/ports/failure-counts.ts'
import { fail, succeed } from '../support/outcome.ts'
import { countOne, failures, keep, keepingAtMost, NOW, read } from '../testkit/failure-counts/steps.ts'
import { describeOnPostgres, sharedStore } from './database.ts'

describeOnPostgres('failure counts in a PostgreSQL database', (server) => {
  const shared = sharedStore(server)
  let opened: Array<() => Promise<void>> = []
  beforeEach(() => shared().ask('DELETE FROM portcullis.failure_counts'))
  afterEach(async () => {
    for (const close of opened.reverse()) await close()
    opened = []
  })

  const open = (clock = () => NOW, most?: number): FailureCounts => {
    const connections = connectionsTo(shared().url, 2)
    const limits = most === undefined ? KEPT_AT_MOST : keepingAtMost(most)
    const counts = postgresFailureCounts(connections, clock, limits)
    opened.push(connections.close, counts.close)
    return counts
  }

  const rows = async (): Promise<number> => {
    const [row] = await shared().ask('SELECT count(*)::int AS count FROM portcullis.failure_counts')
    return Number(row?.count)
  }

  for (const column of ['count', 'refused_until', 'forgotten_from']) {
    for (const value of ['9007199254740993', '-9223372036854775808', '9223372036854775807']) {
      it(`treat a damaged row as empty, and count from 0: ${column} ${value}`, async () => {
        const counts = open()
        await keep(counts, 'key', failures(3))
        await keep(counts, 'another', failures(7))
        await shared().ask(`UPDATE portcullis.failure_counts SET ${column} = ${value} WHERE count = 3`)
        expect(await read(counts, 'key')).to.deep.equal(none)
        expect(await succeed(countOne(counts, 'key'))).to.equal(0)
        expect(await read(counts, 'key')).to.deep.equal(some(failures(1)))
        expect(await read(counts, 'another')).to.deep.equal(some(failures(7)))
      })
    }
  }

  for (const version of ['9007199254740993', '-9223372036854775808', '9223372036854775807']) {
    it(`continue in a row with a damaged version: ${version}`, async () => {
      const counts = open()
      await keep(counts, 'key', failures(3))
      await shared().ask(`UPDATE portcullis.failure_counts SET version = ${version}`)
      await succeed(countOne(counts, 'key'))
      await succeed(countOne(counts, 'key'))
    })
  }

  it('delete expired rows from time to time', async () => {
    let now = NOW
    const counts = open(() => now, 100)
    for (let each = 0; each < 40; each += 1)
      await keep(counts, `over ${each}`, failures(1, { forgottenFrom: NOW + 1_000 }))
    now += 999
    for (let each = 0; each < 10; each += 1) await keep(counts, 'new', failures(each))
    expect(await rows()).to.equal(41)
    now += 1
    for (let each = 10; each < 20; each += 1) await keep(counts, 'new', failures(each))
    expect(await rows()).to.equal(1)
    expect(await read(counts, 'new')).to.deep.equal(some(failures(19)))
  })

  it('are empty as soon as they expire, and their rows are deleted later', async () => {
    const counts = open(() => NOW, 100)
    await keep(counts, 'key', failures(3))
    await succeed(counts.update({ kind: 'account', key: 'key' }, () => ({ kept: none, answer: undefined })))
    expect(await read(open(), 'key')).to.deep.equal(none)
    for (let each = 0; each < 10; each += 1) await keep(counts, 'another', failures(each))
    expect(await rows()).to.equal(1)
  })

  it('keep few more keys than the limit, also when more exist already', async () => {
    await shared().ask(`INSERT INTO portcullis.failure_counts
      SELECT encode(sha256(n::text::bytea), 'hex'), 'account', 1, 0, ${NOW} + n, 1 FROM generate_series(1, 5000) AS n`)
    const counts = open(() => NOW, 100)
    for (let each = 0; each < 10; each += 1) await keep(counts, `newest ${each}`, failures(each))
    expect(await rows()).to.equal(100)
    const [oldest] = await shared().ask(
      'SELECT min(forgotten_from)::text AS oldest FROM portcullis.failure_counts',
    )
    expect(oldest).to.deep.equal({ oldest: String(NOW + 4_911) })
    for (let each = 0; each < 10; each += 1)
      expect(await read(counts, `newest ${each}`)).to.deep.equal(some(failures(each)))
  })

  it('report a count that cannot be stored, without the key', async () => {
    expect(
      await fail(
        open().update({ kind: 'account', key: 'half' }, () => ({ kept: some(failures(0.5)), answer: 0 })),
      ),
    ).to.deep.equal({ _tag: 'StoreUnavailable', reason: 'PostgreSQL says 22P02' })
  })

  it('report a missing table', async () => {
    const { ask } = shared()
    await ask('ALTER TABLE portcullis.failure_counts RENAME TO away')
    expect(await fail(countOne(open(), 'key'))).to.deep.equal({
      _tag: 'StoreUnavailable',
      reason: 'PostgreSQL says 42P01',
    })
    await ask('ALTER TABLE portcullis.away RENAME TO failure_counts')
  })
})
