import { readdirSync, readFileSync } from 'node:fs'
import { expect } from 'chai'
import { openDatabase } from '../../adapters/driven/sqlite/database.ts'
import { ONE_TIME_TOKEN } from '../../adapters/driven/sqlite/joined-rows.ts'
import {
  KNOWN_EMAIL_KEYS,
  KNOWN_IDS,
  sqliteStore,
  USERS,
  USERS_OF_A_STATUS,
} from '../../adapters/driven/sqlite/store.ts'
import { expectRegistrationTimes, userOfBefore, usersBeforeListing } from '../support/users-before-listing.ts'
import { onFile } from './folder.ts'
import { contents, withRaw } from './raw.ts'

const MIGRATIONS = new URL('../../adapters/driven/sqlite/migrations/', import.meta.url)

/** A file with schema 6. */
const laySchema6 = (path: string): void =>
  withRaw(path, (db) => {
    db.pragma('journal_mode = WAL')
    db.function('scheme_of_record', (_record) => '') // for the users of an earlier schema, of which there are none
    for (const name of readdirSync(MIGRATIONS).sort().slice(0, 6))
      db.exec(readFileSync(new URL(name, MIGRATIONS), 'utf8'))
    db.pragma('user_version = 6')
    db.pragma(`application_id = ${0x504f5254}`)
    db.exec(usersBeforeListing())
  })

describe('a SQLite file of schema 6', () => {
  it(
    'takes the time of each registration from the log, except of removed users',
    onFile(async (path) => {
      laySchema6(path)
      const store = sqliteStore(path)
      await expectRegistrationTimes(store)
      await store.close()
    }),
  )

  it(
    'has the schema of a new file after migration',
    onFile(async (path) => {
      laySchema6(path)
      openDatabase(path).close()
      const fresh = onFile(async (other) => {
        openDatabase(other).close()
        expect(contents(path).schema).to.deep.equal(contents(other).schema)
      })
      await fresh()
    }),
  )

  it(
    'can still be written by a process of the previous version, without the new columns',
    onFile(async (path) => {
      laySchema6(path)
      const store = sqliteStore(path)
      withRaw(path, (db) => db.exec(userOfBefore()))
      await expectRegistrationTimes(store, { isLater: true })
      await store.close()
    }),
  )
})

const BY_STATUS = 'SEARCH users USING INDEX users_by_status (status=? AND id>?)'

describe('in a SQLite file', () => {
  const plans: ReadonlyArray<readonly [string, string, ReadonlyArray<unknown>, ReadonlyArray<string>]> = [
    ['users', USERS, [{ after: '', limit: 9 }], ['MERGE (UNION ALL)', 'LEFT', BY_STATUS, 'RIGHT', BY_STATUS]],
    ['users of a status', USERS_OF_A_STATUS, ['enabled', '', 9], [BY_STATUS]],
    [
      'known e-mails',
      KNOWN_EMAIL_KEYS,
      ['[]'],
      [
        'SEARCH users USING COVERING INDEX sqlite_autoindex_users_2 (email_key=?)',
        'LIST SUBQUERY 1',
        'SCAN json_each VIRTUAL TABLE INDEX 1:',
      ],
    ],
    [
      'known ids',
      KNOWN_IDS,
      ['[]'],
      ['SEARCH users USING PRIMARY KEY (id=?)', 'LIST SUBQUERY 1', 'SCAN json_each VIRTUAL TABLE INDEX 1:'],
    ],
    [
      'a one-time token',
      ONE_TIME_TOKEN,
      ['digest'],
      [
        'SEARCH t USING INDEX sqlite_autoindex_one_time_tokens_2 (digest=?)',
        'SEARCH u USING PRIMARY KEY (id=?)',
        'SEARCH a USING PRIMARY KEY (id=?)',
      ],
    ],
  ]
  for (const [what, query, values, expected] of plans) {
    it(
      `the query for ${what} uses an index in the order of the list`,
      onFile(async (path) => {
        openDatabase(path).close()
        const plan = withRaw(path, (db) =>
          db.prepare<unknown[], { detail: string }>(`EXPLAIN QUERY PLAN ${query}`).all(...values),
        )
        expect(plan.map(({ detail }) => detail)).to.have.members(expected)
      }),
    )
  }
})
