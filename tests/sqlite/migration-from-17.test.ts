import { expect } from 'chai'
import { digestOfKey } from '../../adapters/stores/records/count-key.ts'
import { openDatabase } from '../../adapters/stores/sqlite/database.ts'
import { onFile } from './folder.ts'
import { expectSchemaOfNewFile, laySchema } from './older-schemas.ts'
import { withRaw } from './raw.ts'

const COUNTS =
  "('b@example.com', 'account', 3, 5, 9), ('a@example.com', 'account', 1, 0, 8), ('192.0.2.1', 'address', 2, 4, 7)"

const laySchema17 = (path: string): void =>
  laySchema(path, 17, (db) =>
    db.exec(`INSERT INTO failure_counts (key, kind, count, refused_until, forgotten_from) VALUES ${COUNTS}`),
  )

describe('a SQLite file of schema 17', () => {
  it(
    'keeps its failure counts, under the digests of their keys',
    onFile(async (path) => {
      laySchema17(path)
      openDatabase(path).close()
      const found = withRaw(path, (db) =>
        db.prepare('SELECT key, kind, count, refused_until, forgotten_from FROM failure_counts').raw().all(),
      )
      expect(found).to.have.deep.members([
        [digestOfKey('b@example.com'), 'account', 3, 5, 9],
        [digestOfKey('a@example.com'), 'account', 1, 0, 8],
        [digestOfKey('192.0.2.1'), 'address', 2, 4, 7],
      ])
    }),
  )

  it(
    'has the schema of a new file after migration',
    onFile(async (path) => {
      laySchema17(path)
      await expectSchemaOfNewFile(path)
    }),
  )
})
