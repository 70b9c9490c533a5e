import { expect } from 'chai'
import { sqliteStore } from '../../adapters/stores/sqlite/store.ts'
import { succeed } from '../support/outcome.ts'
import { onFile } from './folder.ts'
import { expectSchemaOfNewFile, laySchema } from './older-schemas.ts'
import { withRaw } from './raw.ts'

/** A file with schema 7. */
const laySchema7 = (path: string): void =>
  laySchema(path, 7, (db) => {
    for (const [id, scheme, status] of USERS) db.prepare(WRITE).run({ id, scheme, status })
  })

const USERS = [
  ['ada', 'bcrypt:10', 'enabled'],
  ['bob', 'bcrypt:10', 'disabled'],
  ['cleo', '', 'removed'],
  ['dan', 'scrypt', 'enabled'],
] as const

/** As the former version writes a row. */
const WRITE = `
  INSERT INTO users (id, email, email_key, password_record, password_scheme, password_version, status, version)
    VALUES (@id, @id, @id, 'record', @scheme, 1, @status, 1)
  ON CONFLICT (id) DO UPDATE SET password_scheme = @scheme, status = @status, version = version + 1`

describe('a SQLite file of schema 7', () => {
  it(
    'lists the same users and password schemes after migration',
    onFile(async (path) => {
      laySchema7(path)
      const store = sqliteStore(path)
      expect(await succeed(store.listPasswordSchemes({ after: '', limit: 100 }))).to.deep.equal([
        'bcrypt:10',
        'scrypt',
      ])
      const listed = await succeed(store.listUsers({ after: '', limit: 9 }))
      expect(listed.map(({ id }) => id)).to.deep.equal(['ada', 'bob', 'dan'])
      await store.close()
    }),
  )

  it(
    'has the schema of a new file after migration',
    onFile(async (path) => {
      laySchema7(path)
      await expectSchemaOfNewFile(path)
    }),
  )

  it(
    'counts the password schemes that a process of the former version writes',
    onFile(async (path) => {
      laySchema7(path)
      const store = sqliteStore(path)
      const steps: ReadonlyArray<readonly [id: string, scheme: string, expected: ReadonlyArray<string>]> = [
        ['eve', 'argon2id', ['argon2id', 'bcrypt:10', 'scrypt']],
        ['ada', 'argon2id', ['argon2id', 'bcrypt:10', 'scrypt']],
        ['bob', 'scrypt', ['argon2id', 'scrypt']],
        ['eve', '', ['argon2id', 'scrypt']],
        ['ada', '', ['scrypt']],
        ['cleo', 'bcrypt:12', ['bcrypt:12', 'scrypt']],
      ]
      for (const [id, scheme, expected] of steps) {
        withRaw(path, (db) => db.prepare(WRITE).run({ id, scheme, status: 'enabled' }))
        expect(
          await succeed(store.listPasswordSchemes({ after: '', limit: 100 })),
          `${id} ${scheme}`,
        ).to.deep.equal(expected)
      }
      withRaw(path, (db) => db.exec("DELETE FROM users WHERE id = 'cleo'"))
      expect(await succeed(store.listPasswordSchemes({ after: '', limit: 100 }))).to.deep.equal(['scrypt'])
      await store.close()
    }),
  )
})
