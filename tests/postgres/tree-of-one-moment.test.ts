import { expect } from 'chai'
import { none } from 'fp-ts/lib/Option.js'
import pg from 'pg'
import { connectionsTo } from '../../adapters/stores/postgres/connections.ts'
import { openDatabase } from '../../adapters/stores/postgres/database.ts'
import { postgresStore } from '../../adapters/stores/postgres/store.ts'
import type { StoredTree } from '../../application/ports/log-tree.ts'
import { eventually } from '../support/eventually.ts'
import { change, issuedToken } from '../testkit/builders.ts'
import { commitAll, ok } from '../testkit/outcome.ts'
import { describeOnPostgres, onEmpty, PLACE } from './database.ts'

/** The head of the log is a view that answers only while the advisory lock is free. */
const SLOW_HEAD = `
  ALTER TABLE portcullis.head RENAME TO head_rows;
  CREATE FUNCTION portcullis.wait() RETURNS boolean LANGUAGE plpgsql VOLATILE AS
    $$ BEGIN PERFORM pg_advisory_xact_lock_shared(1); RETURN true; END $$;
  CREATE VIEW portcullis.head AS SELECT * FROM portcullis.head_rows WHERE portcullis.wait()`

/** What another instance does: it takes the tree if no other has it, and stores one of a new entry. */
const EXTEND = `
  WITH free AS (SELECT one FROM portcullis.tree FOR UPDATE SKIP LOCKED),
    appended AS (UPDATE portcullis.head_rows SET position = 3 WHERE EXISTS (SELECT FROM free))
  UPDATE portcullis.tree SET size = 3 FROM free`

describeOnPostgres('the instance that extends the tree of a PostgreSQL store', (server) => {
  it(
    'never combines a tree with the head from before, which would look like lost entries',
    onEmpty(server, async ({ url, ask }) => {
      await openDatabase({ url, place: PLACE })
      const store = postgresStore(connectionsTo(url, 2))
      const other = new pg.Client(url)
      await other.connect()
      try {
        await commitAll(store, change(issuedToken(), issuedToken()))
        await ask(SLOW_HEAD)
        await other.query('SELECT pg_advisory_lock(1)')
        let seen: StoredTree | undefined
        const extended = store.extendTree((tree) => async () => {
          seen = tree
          return none
        })()
        await eventually('the instance waits for the head', async () => {
          const { rowCount } = await other.query(
            "SELECT 1 FROM pg_locks WHERE locktype = 'advisory' AND NOT granted",
          )
          return rowCount === 0 ? undefined : true
        })
        await other.query(EXTEND)
        await other.query('SELECT pg_advisory_unlock(1)')
        await ok(async () => extended)
        expect(seen?.size).to.be.at.most(seen?.entries ?? -1)
      } finally {
        await other.end()
        await store.close()
      }
    }),
  )

  it(
    'is not waited for by the others, also after it has written and before it commits',
    onEmpty(server, async ({ url }) => {
      await openDatabase({ url, place: PLACE })
      const store = postgresStore(connectionsTo(url, 2))
      const other = new pg.Client(url)
      await other.connect()
      try {
        await other.query("BEGIN; UPDATE portcullis.tree SET note = 'not committed yet'")
        let isCalled = false
        const extended = store.extendTree(() => async () => {
          isCalled = true
          return none
        })
        expect(await ok(extended)).to.equal(false)
        expect(isCalled).to.equal(false)
        await other.query('ROLLBACK')
      } finally {
        await other.end()
        await store.close()
      }
    }),
  )
})
