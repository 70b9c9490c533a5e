import { expect } from 'chai'
import { isLeft, right } from 'fp-ts/lib/Either.js'
import { connectionsTo } from '../../adapters/stores/postgres/connections.ts'
import { openDatabase } from '../../adapters/stores/postgres/database.ts'
import { postgresStore } from '../../adapters/stores/postgres/store.ts'
import { withStoreCopy } from '../../adapters/stores/postgres/store-copy.ts'
import { aRenewal, change, issuedToken, registered } from '../testkit/builders.ts'
import { commitAll, ok, wholeLog } from '../testkit/outcome.ts'
import { describeOnPostgres, onEmpty, PLACE } from './database.ts'

const COPY = { id: 'a copy', place: 'elsewhere' }

/** What a program runs that knows no copy state. */
const APPEND = `
  WITH next AS (UPDATE portcullis.head SET position = position + 1 RETURNING position)
  INSERT INTO portcullis.log
  SELECT position, 'new', 'UserDisabled', 1, '', 'user', 'x', 'nobody', NULL, NULL, '{}' FROM next`

const opened = async (url: string) => {
  await openDatabase({ url, place: PLACE })
  const connections = connectionsTo(url, 2)
  return withStoreCopy(url, connections, postgresStore(connections))
}

describeOnPostgres('a PostgreSQL store that has moved', (server) => {
  it(
    'takes no entry of another program, until a renewal',
    onEmpty(server, async ({ url, ask }) => {
      const { store, storeCopy } = await opened(url)
      await commitAll(store, change(registered()))
      await ok(storeCopy.lock(COPY, async () => right(undefined)))
      const refused = await ask(APPEND).then(
        () => '',
        (error: Error) => error.message,
      )
      expect(refused).to.equal('the store has moved to elsewhere')
      expect(await wholeLog(store)).to.have.lengthOf(1)
      await ok(store.renewEpoch(aRenewal))
      await ask(APPEND)
      await store.close()
    }),
  ).timeout(30_000)

  it(
    'stays closed to every change, also when its log continues from a copy',
    onEmpty(server, async ({ url, ask }) => {
      const { store, storeCopy } = await opened(url)
      await commitAll(store, change(registered()))
      await ok(storeCopy.lock(COPY, async () => right(undefined)))
      await ask('UPDATE portcullis.head SET table_id = NULL')
      for (const one of [change(registered()), change(issuedToken())])
        expect(await store.commit(one)()).to.deep.include({ _tag: 'Left' })
      expect((await ok(storeCopy.readCopyState())).state).to.equal('moved')
      expect(await wholeLog(store)).to.have.lengthOf(1)
      await store.close()
    }),
  ).timeout(30_000)

  it(
    'leaves no backend that waits, while it is locked',
    onEmpty(server, async ({ url, ask, name }) => {
      const { store, storeCopy } = await opened(url)
      await commitAll(store, change(registered()))
      const counts = await ok(
        storeCopy.lock(COPY, async () => {
          const refused = await Promise.all([
            store.commit(change(issuedToken()))(),
            store.commit(change(registered()))(),
          ])
          expect(refused.filter(isLeft)).to.have.lengthOf(2)
          return right(
            await ask(
              `SELECT count(*)::integer FROM pg_stat_activity WHERE datname = '${name}' AND wait_event_type = 'Lock'`,
            ),
          )
        }),
      )
      expect(counts).to.deep.equal([{ count: 0 }])
      await store.close()
    }),
  ).timeout(30_000)

  it(
    'stays open if the connection that locks it ends',
    onEmpty(server, async ({ url, ask, name }) => {
      const { store, storeCopy } = await opened(url)
      await commitAll(store, change(registered()))
      const locked = await storeCopy.lock(COPY, async () => {
        await ask(`SELECT pg_terminate_backend(pid) FROM pg_stat_activity
          WHERE datname = '${name}' AND state = 'idle in transaction'`)
        return right(undefined)
      })()
      expect(isLeft(locked)).to.equal(true)
      expect(await ok(storeCopy.readCopyState())).to.deep.equal({ state: 'open', copyId: undefined })
      await commitAll(store, change(registered()))
      await store.close()
    }),
  ).timeout(30_000)
})
