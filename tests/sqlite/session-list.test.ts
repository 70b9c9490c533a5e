import { expect } from 'chai'
import { openDatabase } from '../../adapters/stores/sqlite/database.ts'
import { SESSIONS_OF_A_USER } from '../../adapters/stores/sqlite/store.ts'
import { onFile } from './folder.ts'
import { withRaw } from './raw.ts'

describe('the query for the sessions of a user in a SQLite file', () => {
  it(
    'uses an index in the order of the list',
    onFile(async (path) => {
      openDatabase(path).close()
      const plan = withRaw(path, (db) =>
        db
          .prepare<unknown[], { detail: string }>(`EXPLAIN QUERY PLAN ${SESSIONS_OF_A_USER}`)
          .all('a', 1, 0, 9),
      )
      expect(plan.map(({ detail }) => detail)).to.deep.equal([
        'SEARCH s USING INDEX sessions_of_a_user (user_id=? AND password_version=? AND expires_at>?)',
        'SEARCH a USING PRIMARY KEY (id=?) LEFT-JOIN',
      ])
    }),
  )
})
