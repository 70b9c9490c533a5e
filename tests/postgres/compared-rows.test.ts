import { expect } from 'chai'
import pg from 'pg'
import type { Change } from '../../application/ports/store.ts'
import { eventually } from '../support/eventually.ts'
import { anApplication, change, issuedToken, registeredApplication } from '../testkit/builders.ts'
import { commitAll, ok, wholeLog } from '../testkit/outcome.ts'
import { describeOnPostgres, sharedStore } from './database.ts'

describeOnPostgres('a row that another transaction compares', (server) => {
  const database = sharedStore(server)

  /** An application that another connection has locked for a comparison, until `release`. */
  const compared = async () => {
    const application = anApplication()
    const { store, url } = database()
    await commitAll(store, change(registeredApplication(application)))
    const other = new pg.Client(url)
    await other.connect()
    await other.query('BEGIN')
    await other.query('SELECT FROM portcullis.applications WHERE id = $1 FOR SHARE', [application.id])
    const release = async () => {
      await other.query('COMMIT')
      await other.end()
    }
    return { application, release }
  }

  it('can be compared meanwhile', async () => {
    const { application, release } = await compared()
    const made: Change = {
      ...change(issuedToken()),
      compared: [{ table: 'applications', id: application.id, version: 1 }],
    }
    await ok(database().store.commit(made))
    await release()
  })

  it('is written only afterwards', async () => {
    const { store, name } = database()
    const { application, release } = await compared()
    const revocation = change({ _tag: 'ApplicationRevoked', application })
    const written = ok(store.commit(revocation))
    await eventually('the write waits', async () => {
      const all = await server.ask(
        `SELECT 1 FROM pg_stat_activity WHERE datname = '${name}' AND wait_event_type = 'Lock'`,
      )
      return all.length === 1 ? true : undefined
    })
    expect((await wholeLog(store)).some(({ id }) => id === revocation.id)).to.equal(false)
    await release()
    await written
    expect((await wholeLog(store)).at(-1)?.id).to.equal(revocation.id)
  })
})
