import { expect } from 'chai'
import { openDatabase } from '../../adapters/stores/sqlite/database.ts'
import { EVENTS_OF_A_TYPE } from '../../adapters/stores/sqlite/store.ts'
import { onFile } from './folder.ts'
import { withRaw } from './raw.ts'

describe('the query for log entries of one type in a SQLite file', () => {
  it(
    'reads only the entries between the two positions',
    onFile(async (path) => {
      openDatabase(path).close()
      const plan = withRaw(path, (db) =>
        db
          .prepare<unknown[], { detail: string }>(`EXPLAIN QUERY PLAN ${EVENTS_OF_A_TYPE}`)
          .all(0, 10_000, 'UserSignedIn', 9),
      )
      expect(plan.map(({ detail }) => detail)).to.deep.equal([
        'SEARCH log USING INTEGER PRIMARY KEY (rowid>? AND rowid<?)',
      ])
    }),
  )
})
