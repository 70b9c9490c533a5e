import { expect } from 'chai'
import { openDatabase } from '../../adapters/stores/sqlite/database.ts'
import { REMOVE_FIRST, REMOVE_FORGOTTEN } from '../../adapters/stores/sqlite/failure-counts.ts'
import { FACTOR, ONE_TIME_TOKEN } from '../../adapters/stores/sqlite/joined-rows.ts'
import { claimOf, DELETE_FAILED } from '../../adapters/stores/sqlite/outbox-statements.ts'
import {
  CONSUME,
  COUNT_OF_KIND,
  DELETE_EXPIRED,
  REMOVE_FIRST as REMOVE_FIRST_ENTRIES,
  REMOVE_OF_SESSION,
  REMOVE_SURPLUS,
} from '../../adapters/stores/sqlite/protocol-state.ts'
import {
  EVENTS_OF_A_TYPE,
  FACTORS_OF_A_USER,
  KNOWN_EMAIL_KEYS,
  KNOWN_IDS,
  PASSWORD_SCHEMES,
  SESSIONS_OF_A_USER,
} from '../../adapters/stores/sqlite/store.ts'
import {
  USERS,
  USERS_BY_EMAIL,
  USERS_BY_NAME,
  USERS_OF_A_STATUS,
  USERS_WITH_A_ROLE,
} from '../../adapters/stores/sqlite/user-lists.ts'
import {
  deleteExpiredFrom,
  ERASE_ENDED_LABELS,
  USERS_WITH_ENDED_LABELS,
} from '../../adapters/stores/sqlite/write.ts'
import { EXPIRING_TABLES } from '../../application/ports/store.ts'
import { onFile } from './folder.ts'
import { withRaw } from './raw.ts'

const COUNTS_BY_KEY = ['SEARCH failure_counts USING PRIMARY KEY (key=?)', 'LIST SUBQUERY 1']
const COUNTS_BY_ROOM = 'SEARCH failure_counts USING COVERING INDEX failure_counts_by_room'
const ENTRIES_BY_ROWID = ['SEARCH protocol_state USING INTEGER PRIMARY KEY (rowid=?)', 'LIST SUBQUERY 1']
const ENTRIES_BY_EXPIRY = 'SEARCH protocol_state USING COVERING INDEX protocol_state_by_expiry'
const BY_STATUS = 'SEARCH users USING INDEX users_by_status (status=? AND id>?)'

describe('in a SQLite file', () => {
  const plans: ReadonlyArray<readonly [string, string, ReadonlyArray<unknown>, ReadonlyArray<string>]> = [
    ['users', USERS, [{ after: '', limit: 9 }], ['MERGE (UNION ALL)', 'LEFT', BY_STATUS, 'RIGHT', BY_STATUS]],
    ['users of a status', USERS_OF_A_STATUS, [{ status: 'enabled', after: '', limit: 9 }], [BY_STATUS]],
    [
      'users by the beginning of an e-mail',
      USERS_BY_EMAIL,
      [{ prefix: 'a', end: 'b', after: '', limit: 9 }],
      ['SEARCH users USING INDEX users_by_email (email_key>? AND email_key<?)'],
    ],
    [
      'users by the beginning of a name',
      USERS_BY_NAME,
      [{ prefix: 'a', end: 'b', after: '', idBefore: '', limit: 9 }],
      ['SEARCH users USING INDEX users_by_name ((name_key,id)>(?,?) AND name_key<?)'],
    ],
    [
      'users with a role',
      USERS_WITH_A_ROLE,
      [{ role: 'admin', status: null, after: '', limit: 9 }],
      [
        'SEARCH users USING PRIMARY KEY (id=?)',
        'LIST SUBQUERY 1',
        'SEARCH users USING COVERING INDEX users_with_roles (id>?)',
      ],
    ],
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
        'SEARCH a USING PRIMARY KEY (id=?)',
        'SEARCH u USING PRIMARY KEY (id=?)',
      ],
    ],
    [
      'the factors of a user',
      FACTORS_OF_A_USER,
      ['ada'],
      ['SEARCH factors USING INDEX factors_by_user (user_id=?)'],
    ],
    [
      'the sessions of a user',
      SESSIONS_OF_A_USER,
      [{ userId: 'a', passwordVersion: 1, sessionsVersion: 1, expiresAfterSeconds: 0, skip: 0, limit: 9 }],
      [
        'SEARCH s USING INDEX sessions_of_a_user (user_id=? AND password_version=? AND sessions_version=? AND expires_at>?)',
        'SEARCH a USING PRIMARY KEY (id=?)',
      ],
    ],
    [
      'log entries of one type between two positions',
      EVENTS_OF_A_TYPE,
      [0, 10_000, 'UserSignedIn', 9],
      ['SEARCH log USING INTEGER PRIMARY KEY (rowid>? AND rowid<?)'],
    ],
    [
      'password schemes, without users,',
      PASSWORD_SCHEMES,
      ['', 9],
      ['SEARCH password_schemes USING PRIMARY KEY (scheme>?)'],
    ],
    ['a factor', FACTOR, ['id'], ['SEARCH f USING PRIMARY KEY (id=?)', 'SEARCH u USING PRIMARY KEY (id=?)']],
    [
      'expired failure counts',
      REMOVE_FORGOTTEN,
      ['account', 0, 8],
      [...COUNTS_BY_KEY, `${COUNTS_BY_ROOM} (kind=? AND <expr>=? AND forgotten_from<?)`],
    ],
    [
      'the first failure counts of a full kind',
      REMOVE_FIRST,
      ['account', 250],
      [...COUNTS_BY_KEY, `${COUNTS_BY_ROOM} (kind=?)`],
    ],
    [
      'users with ended labels',
      USERS_WITH_ENDED_LABELS,
      [9],
      ['SCAN users USING INDEX users_with_ended_labels'],
    ],
    [
      'the ended labels of a user',
      ERASE_ENDED_LABELS,
      [{ userId: 'a', limit: 9 }],
      [
        'SEARCH sessions USING PRIMARY KEY (id=?)',
        'LIST SUBQUERY 1',
        'SEARCH u USING PRIMARY KEY (id=?)',
        'SEARCH s USING INDEX labelled_sessions (user_id=?)',
      ],
    ],
    [
      'mails that are due',
      claimOf(false),
      [{ claim: 'a', leasedUntil: 1, now: 0, nowSeconds: 9, limit: 4 }],
      [
        'SEARCH mails USING PRIMARY KEY (id=?)',
        'LIST SUBQUERY 1',
        'SEARCH mails USING INDEX mails_due (due_at<?)',
      ],
    ],
    [
      'request mails that no sender has seen',
      claimOf(true),
      [{ claim: 'a', leasedUntil: 1, now: 0, nowSeconds: 9, limit: 4 }],
      [
        'SEARCH mails USING PRIMARY KEY (id=?)',
        'LIST SUBQUERY 1',
        'SEARCH mails USING INDEX mails_unseen (due_at<?)',
      ],
    ],
    [
      'failed mails that expired',
      DELETE_FAILED,
      [9, 4],
      [
        'SEARCH mails USING PRIMARY KEY (id=?)',
        'LIST SUBQUERY 1',
        'SEARCH mails USING COVERING INDEX mails_failed (expires_at<?)',
      ],
    ],
    [
      'a protocol entry that is consumed',
      CONSUME,
      [1, 'code', 'id'],
      ['SEARCH protocol_state USING INDEX sqlite_autoindex_protocol_state_1 (kind=? AND id=?)'],
    ],
    [
      'the protocol entries of a session',
      REMOVE_OF_SESSION,
      ['session', 9],
      [
        ...ENTRIES_BY_ROWID,
        'SEARCH protocol_state USING COVERING INDEX protocol_state_by_session (session_id=?)',
      ],
    ],
    [
      'the unconsumed protocol entries of a session',
      REMOVE_SURPLUS,
      ['session', 'refresh_token', 'id', 19],
      [
        ...ENTRIES_BY_ROWID,
        'SEARCH protocol_state USING INDEX protocol_state_by_session (session_id=? AND consumed_at=?)',
        'USE TEMP B-TREE FOR ORDER BY',
      ],
    ],
    [
      'expired protocol entries',
      DELETE_EXPIRED,
      [1, 9],
      [...ENTRIES_BY_ROWID, `${ENTRIES_BY_EXPIRY} (kind=? AND expires_at<?)`],
    ],
    ['the number of protocol entries of a kind', COUNT_OF_KIND, ['code'], [`${ENTRIES_BY_EXPIRY} (kind=?)`]],
    [
      'the first protocol entries of a full kind',
      REMOVE_FIRST_ENTRIES,
      ['pushed_request', 9],
      [...ENTRIES_BY_ROWID, `${ENTRIES_BY_EXPIRY} (kind=?)`],
    ],
    ...EXPIRING_TABLES.map(
      (table) =>
        [
          `the expired rows of ${table}`,
          deleteExpiredFrom(table),
          [1, 9],
          [
            `SEARCH ${table} USING PRIMARY KEY (id=?)`,
            'LIST SUBQUERY 1',
            `SEARCH ${table} USING COVERING INDEX ${table}_by_expiry (expires_at<?)`,
          ],
        ] as const,
    ),
  ]
  for (const [what, query, values, expected] of plans) {
    it(
      `the query for ${what} reads in the order of an index`,
      onFile(async (path) => {
        openDatabase(path).close()
        const plan = withRaw(path, (db) =>
          db.prepare<unknown[], { detail: string }>(`EXPLAIN QUERY PLAN ${query}`).all(...values),
        )
        expect(plan.map(({ detail }) => detail)).to.deep.equal(expected)
      }),
    )
  }
})
