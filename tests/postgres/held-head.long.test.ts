import { expect } from 'chai'
import pg from 'pg'
import { connectionsTo } from '../../adapters/stores/postgres/connections.ts'
import { postgresStore } from '../../adapters/stores/postgres/store.ts'
import { fail, succeed } from '../support/outcome.ts'
import { postgres } from '../support/postgres.ts'
import { change, issuedToken, registered } from '../testkit/builders.ts'
import { commitAll, wholeLog } from '../testkit/outcome.ts'
import { onLine } from './line.ts'

const TAKE_HEAD = 'BEGIN; UPDATE portcullis.head SET position = position'
const WAITING =
  "SELECT pid FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND datname = current_database()"

if (postgres !== undefined) {
  describe('a head of the log that another transaction has locked', () => {
    for (const [what, made] of [
      ['an append', () => change(issuedToken())],
      ['a change of rows', () => change(registered())],
    ] as const)
      it(
        `makes ${what} wait for a limited time, and a refused change is not written later`,
        onLine(async ({ direct }) => {
          const store = postgresStore(connectionsTo(direct, 2))
          const holder = new pg.Client(direct)
          holder.on('error', () => {}) // if the test fails, the database is dropped with it
          await holder.connect()
          await holder.query(TAKE_HEAD)
          const refused = await fail(store.commit(made()))
          expect(refused).to.deep.equal({ _tag: 'StoreUnavailable', reason: 'PostgreSQL says 55P03' })
          expect((await holder.query(WAITING)).rows, 'no connection waits for it').to.deep.equal([])
          await holder.query('ROLLBACK')
          await commitAll(store, made())
          expect(await wholeLog(store)).to.have.length(1)
          await holder.end()
          await store.close()
        }),
      )

    it(
      'is taken from a frozen instance, which then writes its own change when it resumes',
      onLine(async ({ store: frozen, proxy, direct }) => {
        const other = postgresStore(connectionsTo(direct, 2))
        const [theirs, ours, token] = [change(registered()), change(registered()), change(issuedToken())]
        const holding = proxy.next(/^COMMIT\b/, 'held')
        const written = succeed(frozen.commit(theirs))
        const letGo = await holding
        proxy.silence()
        await Promise.all([commitAll(other, ours), commitAll(other, token)])
        proxy.resume()
        letGo()
        await written
        const ids = (await wholeLog(other)).map(({ id }) => id)
        expect(ids.slice(-1)).to.deep.equal([theirs.id])
        expect([...ids].sort()).to.deep.equal([theirs.id, ours.id, token.id].sort())
        await other.close()
      }),
    )
  })
}
