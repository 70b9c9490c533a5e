import { expect } from 'chai'
import { isSome } from 'fp-ts/lib/Option.js'
import { sqliteStore } from '../../adapters/stores/sqlite/store.ts'
import { succeed } from '../support/outcome.ts'
import { change, issuedToken } from '../testkit/builders.ts'
import { commitAll } from '../testkit/outcome.ts'
import { onFile } from './folder.ts'
import { expectSchemaOfNewFile, laySchema } from './older-schemas.ts'
import { withRaw } from './raw.ts'

/** As the former version writes a row. */
const WRITE = `
  INSERT INTO applications (id, name, scope, key_id, key_digest, revoked, version)
    VALUES ('shop', 'Shop', 'users:sign_in', 'key', 'digest', 0, 1)
  ON CONFLICT (id) DO UPDATE SET name = 'Store', version = version + 1`

const laySchema20 = (path: string): void => laySchema(path, 20, (db) => db.exec(WRITE))

describe('a SQLite file of schema 20', () => {
  it(
    'has applications without a requirement, and what they require later outlasts a process of the former version',
    onFile(async (path) => {
      laySchema20(path)
      const store = sqliteStore(path)
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
      withRaw(path, (db) => db.exec(WRITE))
      expect(await read()).to.deep.equal({ ...row, name: 'Store', version: 3 })
      await store.close()
    }),
  )

  it(
    'has the schema of a new file after migration',
    onFile(async (path) => {
      laySchema20(path)
      await expectSchemaOfNewFile(path)
    }),
  )
})
