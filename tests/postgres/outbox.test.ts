import { expect } from 'chai'
import pg from 'pg'
import { connectionsTo } from '../../adapters/stores/postgres/connections.ts'
import { postgresOutbox } from '../../adapters/stores/postgres/outbox.ts'
import {
  COUNT_MAILS,
  claimOf,
  DELETE_FAILED,
  INSERT_WITHIN_BOUND,
} from '../../adapters/stores/postgres/outbox-statements.ts'
import { aMail, claim, held, idsOf, listed, NOW, put } from '../testkit/outbox/steps.ts'
import { ok } from '../testkit/outcome.ts'
import { describeOnPostgres, sharedStore } from './database.ts'

describeOnPostgres('the outbox in PostgreSQL', (server) => {
  const shared = sharedStore(server)
  beforeEach(() => shared().ask('DELETE FROM portcullis.mails'))

  const withOutbox = async (body: (outbox: ReturnType<typeof postgresOutbox>) => Promise<void>) => {
    const connections = connectionsTo(shared().url, 2)
    try {
      await body(postgresOutbox(connections))
    } finally {
      await connections.close()
    }
  }

  /** Another instance is in the middle of a claim, and then ends its transaction. */
  const beside = async (end: 'COMMIT' | 'ROLLBACK', body: () => Promise<void>) => {
    const other = new pg.Client(shared().url)
    await other.connect()
    try {
      await other.query('BEGIN')
      await other.query(claimOf(false), ['other', NOW, 3_600, 1])
      await body()
      await other.query(end)
    } finally {
      await other.end()
    }
  }

  it('gives a sender the mails that no other one is claiming, without waiting', () =>
    withOutbox(async (outbox) => {
      const mails = [aMail(), aMail(), aMail()]
      await put(outbox, ...mails)
      await beside('COMMIT', async () => {
        expect(idsOf(await claim(outbox))).to.deep.equal(idsOf(mails.slice(1)))
      })
      expect(await claim(outbox)).to.deep.equal([])
    }))

  it('gives a mail to the next sender if a claim is not committed', () =>
    withOutbox(async (outbox) => {
      const mail = aMail()
      await put(outbox, mail)
      await beside('ROLLBACK', async () => {
        expect(await claim(outbox)).to.deep.equal([])
      })
      const [claimed] = await claim(outbox)
      expect(claimed).to.include({ id: mail.id, attempts: 1 })
    }))

  it('measures a lease by the clock of the database, which all senders share', () =>
    withOutbox(async (outbox) => {
      await held(outbox)
      const [{ left } = { left: 0 }] = await shared().ask(
        'SELECT (leased_until / 1000 - extract(epoch FROM now()))::int AS left FROM portcullis.mails',
      )
      expect(left).to.be.within(3_500, 3_600)
      await shared().ask('UPDATE portcullis.mails SET leased_until = leased_until - 3700000')
      expect(await claim(outbox)).to.have.lengthOf(1)
    }))

  it('drops and retries mails in any order while others do the same', () =>
    withOutbox(async (outbox) => {
      const mails = Array.from({ length: 50 }, () => aMail())
      await put(outbox, ...mails)
      const ids = idsOf(mails)
      const dropped = await Promise.all([ok(outbox.drop(ids)), ok(outbox.drop(ids.toReversed()))])
      expect(dropped.toSorted((one, other) => one - other)).to.deep.equal([0, 50])
      expect(await listed(outbox)).to.deep.equal([])
    }))

  describe('of many mails', () => {
    beforeEach(() =>
      shared().ask(`
        INSERT INTO portcullis.mails
          SELECT 'id ' || n, 'recovery', 1, NULL, 'a@example.com', NULL, NULL, NULL, '{}', 1, 1800000000 + n, 1900000000 + n,
            CASE n % 3 WHEN 0 THEN 'failed' ELSE 'waiting' END, 0, n % 2, NULL, NULL, 0
          FROM generate_series(1, 20000) AS n;
        ANALYZE portcullis.mails`),
    )

    const PLANS: ReadonlyArray<readonly [string, string, ReadonlyArray<unknown>, string]> = [
      ['claims those that are due', claimOf(false), ['a', NOW + 9, 120, 4], 'mails_due'],
      ['claims unseen requests', claimOf(true), ['a', NOW + 9, 120, 4], 'mails_unseen'],
      ['counts unseen requests', INSERT_WITHIN_BOUND, ['[]', 100], 'mails_unseen'],
      ['deletes failed ones', DELETE_FAILED, [1_900_000_009, 100], 'mails_failed'],
      ['finds the one that is due first', COUNT_MAILS, [], 'mails_due'],
    ]
    for (const [what, sql, values, index] of PLANS)
      it(`${what} by an index`, async () => {
        const connections = connectionsTo(shared().url, 1)
        const { rows } = await connections.write<{ 'QUERY PLAN': string }>(`EXPLAIN ${sql}`, values)
        await connections.close()
        const plan = rows.map((row) => row['QUERY PLAN']).join('\n')
        expect(plan).to.match(new RegExp(`(using|on) ${index}`))
        expect(plan).not.to.match(/Sort/)
      })
  })
})
