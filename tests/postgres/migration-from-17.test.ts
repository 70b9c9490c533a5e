import { expect } from 'chai'
import { isSome } from 'fp-ts/lib/Option.js'
import { connectionsTo } from '../../adapters/stores/postgres/connections.ts'
import { openDatabase } from '../../adapters/stores/postgres/database.ts'
import { postgresStore } from '../../adapters/stores/postgres/store.ts'
import { succeed } from '../support/outcome.ts'
import { change, issuedToken } from '../testkit/builders.ts'
import { commitAll } from '../testkit/outcome.ts'
import { describeOnPostgres, laySchema, onEmpty, PLACE } from './database.ts'

/** As the former version writes a row. */
const WRITE = `
  INSERT INTO portcullis.applications AS stored (id, name, scope, key_id, key_digest, revoked, version)
    VALUES ('shop', 'Shop', 'users:sign_in', 'key', 'digest', 0, 1)
  ON CONFLICT (id) DO UPDATE SET name = 'Store', version = stored.version + 1`

describeOnPostgres('a PostgreSQL database of schema 17', (server) => {
  it(
    'has applications without a requirement, and what they require later outlasts an instance of the former version',
    onEmpty(server, async (database) => {
      await laySchema(database, 17)
      await database.ask(WRITE)
      await openDatabase({ url: database.url, place: PLACE })
      const store = postgresStore(connectionsTo(database.url, 2))
      const read = async () => {
        const found = await succeed(store.findApplication('shop'))
        if (!isSome(found)) throw new Error('the application does not exist')
        return found.value
      }
      const before = await read()
      expect(before).to.include({ name: 'Shop', requiredAssurance: 'aal1' })
      expect(before.passkeyOrigins).to.deep.equal([])
      const row = {
        ...before,
        requiredAssurance: 'aal2',
        passkeyOrigins: ['https://shop.example'],
        version: 2,
      } as const
      await commitAll(store, { ...change(issuedToken()), rows: [{ table: 'applications', row }] })
      await database.ask(WRITE)
      expect(await read()).to.deep.equal({ ...row, name: 'Store', version: 3 })
      await store.close()
    }),
  )
})
