import { expect } from 'chai'
import { type Connections, connectionsTo } from '../../adapters/stores/postgres/connections.ts'
import { REMOVE_FIRST, REMOVE_FORGOTTEN } from '../../adapters/stores/postgres/failure-counts.ts'
import { type Query, queryPrimary, SERVER } from '../../adapters/stores/postgres/primary.ts'
import {
  DELETE_EXPIRED,
  REMOVE_FIRST as REMOVE_FIRST_ENTRIES,
  REMOVE_OF_SESSION,
  REPLACE,
} from '../../adapters/stores/postgres/protocol-state.ts'
import { postgresStore } from '../../adapters/stores/postgres/store.ts'
import { PROTOCOL_KINDS } from '../../application/ports/protocol-state.ts'
import { EXPIRING_TABLES, type Store, type UserQuery } from '../../application/ports/store.ts'
import { describeOnPostgres, sharedStore } from './database.ts'

const READS: ReadonlyArray<readonly [what: string, ask: (store: Store) => Promise<unknown>]> = [
  ['an application by its id', (store) => store.findApplication('id 1234')()],
  ['a missing application', (store) => store.findApplication('zzz')()],
  ['a user by an e-mail', (store) => store.findUserByEmail('id 1234@example.com')()],
  ['a missing user', (store) => store.findUserByEmail('zzz')()],
  ['a user by an id', (store) => store.findUser('id 1234')()],
  ['many e-mails and ids of users', (store) => store.findKnownUsers({ emailKeys: MANY, ids: MANY })()],
  ['a one-time token with its user', (store) => store.findOneTimeToken('id 1234')()],
  ['the factors of a user', (store) => store.listFactors('id 1234')()],
  ['a factor with its user', (store) => store.findFactor('id 1234')()],
  ['users, among many removed ones', (store) => store.listUsers({ after: 'id', limit: 100 })()],
  [
    'users of a status, among many of another',
    (store) => store.listUsers({ status: 'disabled', after: 'id', limit: 100 })(),
  ],
  [
    'users by the beginning of an e-mail, among removed ones',
    (store) => store.listUsers({ emailPrefix: 'id 12', after: '', limit: 100 })(),
  ],
  [
    'later users by the beginning of a name',
    (store) => store.listUsers({ namePrefix: 'name 12', after: 'name 122', afterId: 'id 1', limit: 100 })(),
  ],
  ['a session with its user', (store) => store.findSession('id 1234')()],
  ['the user of a token', (store) => store.findTokenHolder('id 1234', 'id 1234')()],
  ['the last sessions of a user with many', (store) => store.listSessions({ ...OF_BOB, limit: 100 })()],
  ['all sessions of a user', (store) => store.listSessions({ ...OF_BOB, userId: 'id 7', limit: 100 })()],
  ['the password schemes in use', (store) => store.listPasswordSchemes({ after: '', limit: 100 })()],
  ['later password schemes', (store) => store.listPasswordSchemes({ after: 'scheme 0', limit: 100 })()],
  ['the first rows of a table', (store) => store.listRows({ table: 'users', after: '', limit: 100 })()],
  ['later rows', (store) => store.listRows({ table: 'sessions', after: 'id 3', limit: 100 })()],
  ['the last rows', (store) => store.listRows({ table: 'applications', after: 'id 9998', limit: 1_000 })()],
  ['the first entries of the log', (store) => store.readEvents({ after: 0, limit: 100 })()],
  ['later entries', (store) => store.readEvents({ after: 4_000, limit: 1_000 })()],
  ['entries at the end', (store) => store.readEvents({ after: 4_999, limit: 1_000 })()],
  ['entries of one type', (store) => store.readEvents({ after: 10, limit: 100, type: 'UserSignedIn' })()],
]

const MANY = Array.from({ length: 500 }, (_, index) => `id ${index}`)
const OF_BOB = {
  userId: 'bob',
  passwordVersion: 1,
  sessionsVersion: 1,
  expiresAfterSeconds: 4_102_444_000,
  skip: 0,
}

describeOnPostgres('in tables of some thousand rows PostgreSQL uses an index for', (server) => {
  const shared = sharedStore(server)
  before(() => shared().ask(THOUSANDS))

  for (const [what, read] of READS) {
    it(what, async () => {
      const connections = connectionsTo(shared().url, 1)
      const { store, plans } = explaining(connections)
      await read(store)
      await store.close()
      expect(plans).to.have.length(1)
      expect(plans[0]).to.match(/Index (Only )?Scan/)
      expect(plans[0]).not.to.match(/Seq Scan on (?!head\b)|Sort/)
    })
  }

  for (const [conditions, index] of [
    [{}, 'users_listed'],
    [{ status: 'disabled' }, 'users_by_status'],
    [{ emailPrefix: 'g' }, 'users_by_email'],
    [{ emailPrefix: 'id 1', after: 'id 1234@example.com' }, 'users_by_email'],
    [{ namePrefix: 'n' }, 'users_by_name'],
    [{ namePrefix: 'name 1', after: 'name 1234', afterId: 'id 1234' }, 'users_by_name'],
  ] satisfies ReadonlyArray<readonly [Partial<UserQuery>, string]>) {
    it(`users with ${JSON.stringify(conditions)}: ${index}`, async () => {
      const { store, plans } = explaining(connectionsTo(shared().url, 1))
      await store.listUsers({ after: '', limit: 10, ...conditions })()
      await store.close()
      expect(plans.join()).to.include(`using ${index} `)
    })
  }

  for (const status of [undefined, 'enabled'] as const)
    it(`users with a role, ${status ?? 'enabled or disabled'}`, async () => {
      const { store, plans } = explaining(connectionsTo(shared().url, 1))
      await store.listUsers({ role: 'admin', ...(status && { status }), after: '', limit: 10 })()
      await store.close()
      expect(plans.join())
        .to.match(/(using|on) users_with_roles/)
        .and.not.match(/Seq Scan on (?!head\b)/)
    })

  it('the labels of ended sessions', async () => {
    const { store, plans } = explaining(connectionsTo(shared().url, 1))
    await store.eraseEndedLabels(100)()
    await store.close()
    expect(plans).to.have.length(2)
    expect(plans[0]).to.include('using users_with_ended_labels ')
    for (const plan of plans) {
      expect(plan).to.match(/(using|on) labelled_sessions/)
      expect(plan).not.to.match(/Seq Scan on (?!head\b)/)
    }
  })

  for (const table of EXPIRING_TABLES) {
    it(`the deletion of expired rows from ${table}`, async () => {
      const { store, plans } = explaining(connectionsTo(shared().url, 1))
      await store.deleteExpired({ table, beforeSeconds: 1, limit: 100 })()
      await store.close()
      expect(plans).to.have.length(1)
      expect(plans[0]).to.include(`using ${table}_by_expiry `)
      expect(plans[0]).not.to.match(/Seq Scan on (?!head\b)|Sort/)
    })
  }
})

describeOnPostgres('in a table of thousands of failure counts PostgreSQL uses the index for', (server) => {
  const shared = sharedStore(server)
  before(() =>
    shared().ask(`
      INSERT INTO portcullis.failure_counts
        SELECT 'key ' || n, CASE n % 5 WHEN 0 THEN 'address' ELSE 'account' END, 1 + n % 3, 0, 1800000000000 + n, 1
        FROM generate_series(1, 50000) AS n;
      ANALYZE portcullis.failure_counts`),
  )

  const REMOVALS: ReadonlyArray<readonly [what: string, sql: string, values: ReadonlyArray<unknown>]> = [
    ['the removal of expired rows', REMOVE_FORGOTTEN, [1_800_000_000_100, 'account']],
    ['the removal of the first rows of a full kind', REMOVE_FIRST, ['account', 39_000]],
  ]
  for (const [what, sql, values] of REMOVALS) {
    it(what, async () => {
      const connections = connectionsTo(shared().url, 1)
      const { rows } = await connections.write<{ 'QUERY PLAN': string }>(`EXPLAIN ${sql}`, values)
      await connections.close()
      const plan = rows.map((row) => row['QUERY PLAN']).join('\n')
      expect(plan).to.match(/(using|on) failure_counts_by_room/)
      expect(plan).not.to.include('Sort')
    })
  }
})

describeOnPostgres('in a table of thousands of protocol entries PostgreSQL uses an index for', (server) => {
  const shared = sharedStore(server)
  before(() =>
    shared().ask(`
      INSERT INTO portcullis.protocol_state
        SELECT CASE n % 5 WHEN 0 THEN 'pushed_request' ELSE 'refresh_token' END, 'id ' || n,
          CASE n % 5 WHEN 0 THEN NULL ELSE 'session ' || n % 5000 END, 'sealed', NULL, 1800000000 + n
        FROM generate_series(1, 50000) AS n;
      ANALYZE portcullis.protocol_state`),
  )

  const REMOVALS: ReadonlyArray<
    readonly [what: string, index: string, sql: string, values: ReadonlyArray<unknown>]
  > = [
    ['the entries of a session', 'protocol_state_by_session', REMOVE_OF_SESSION, ['session 7', 2_000]],
    [
      'the unconsumed entries of a session',
      'protocol_state_by_session',
      REPLACE,
      ['code', 'id 1', 1, 1, 'refresh_token', 'new', 'session 7', 'sealed', 1_800_000_000, 19],
    ],
    ['expired entries', 'protocol_state_by_expiry', DELETE_EXPIRED, [1_800_000_100, 100, PROTOCOL_KINDS]],
    [
      'the first entries of a full kind',
      'protocol_state_by_expiry',
      REMOVE_FIRST_ENTRIES,
      ['pushed_request', 9_000, 2_000],
    ],
  ]
  for (const [what, index, sql, values] of REMOVALS) {
    it(what, async () => {
      const connections = connectionsTo(shared().url, 1)
      const { rows } = await connections.write<{ 'QUERY PLAN': string }>(`EXPLAIN ${sql}`, values)
      await connections.close()
      const plan = rows.map((row) => row['QUERY PLAN']).join('\n')
      expect(plan).to.match(new RegExp(`(using|on) ${index}`))
      expect(plan).not.to.match(/Seq Scan on (?!head\b)/)
    })
  }
})

/** A store that records the query plan of each read. */
const explaining = (connections: Connections): Readonly<{ store: Store; plans: ReadonlyArray<string> }> => {
  const plans: Array<string> = []
  const explained =
    (query: Query): Query =>
    async (sql, values) => {
      const { rows } = await query<{ 'QUERY PLAN': string }>(`EXPLAIN ${sql}`, values)
      plans.push(rows.map((row) => row['QUERY PLAN']).join('\n'))
      return query(sql, values)
    }
  const read: Query = (sql, values) => queryPrimary(explained(connections.write), ANY_SERVER, sql, values)
  const transaction: Connections['transaction'] = (work) =>
    connections.transaction((query) => work(explained(query)))
  return { store: postgresStore({ ...connections, read, transaction }), plans }
}

const ANY_SERVER = { selected: () => SERVER, expectPrimary: async () => {} }

const THOUSANDS = `
  INSERT INTO portcullis.applications (id, name, scope, key_id, key_digest, revoked, version)
    SELECT 'id ' || n, 'a', 'users:sign_in', 'k', 'd', 0, 1 FROM generate_series(1, 5000) AS n;
  INSERT INTO portcullis.users
    (id, email, email_key, password_record, password_scheme, password_version, status, created_at, version, name_key, roles)
    SELECT 'id ' || n, 'id ' || n || '@example.com', 'id ' || n || '@example.com', '1$$', 'scheme ' || n % 3, 1, 'enabled', 0, 1,
      'name ' || n, CASE n % 50 WHEN 0 THEN 'admin editor' ELSE '' END
    FROM generate_series(1, 5000) AS n;
  INSERT INTO portcullis.users (id, email, email_key, password_record, password_scheme, password_version, status, created_at, version)
    SELECT 'gone ' || n, 'gone ' || n, 'gone ' || n, '', '', 1, CASE WHEN n < 4900 THEN 'removed' ELSE 'disabled' END, 0, 1
    FROM generate_series(1, 5000) AS n;
  INSERT INTO portcullis.one_time_tokens
    (id, purpose, digest, user_id, application_id, password_version, email_version, email, expires_at, used, version)
    SELECT 'id ' || n, 'recovery', 'id ' || n, 'id ' || n, 'id ' || n, 1, 1, '', 4102444800, 0, 1 FROM generate_series(1, 5000) AS n;
  INSERT INTO portcullis.factors (id, user_id, kind, name, material, mark, counter, flags, created_at, removed, version)
    SELECT 'id ' || n, 'id ' || n, 'totp', '', '', 0, 0, '', 0, 0, 1 FROM generate_series(1, 10000) AS n;
  INSERT INTO portcullis.sessions
    (id, user_id, password_version, created_at, expires_at, ends_at, application_id, methods, authenticated_at, signed_out, version)
    SELECT 'id ' || n, 'id ' || n, 1, 0, 4102444800, 4102444800, 'id ' || n, 'password', 0, 0, 1 FROM generate_series(1, 5000) AS n
    UNION ALL
    SELECT 'of bob ' || n, 'bob', 1 + n % 2, 0, 4102444800 - n, 4102444800, 'a', 'password', 0, n % 3 / 2, 1
    FROM generate_series(1, 5000) AS n;
  INSERT INTO portcullis.revoked_tokens (id, application_id, expires_at, version)
    SELECT 'id ' || n, 'id ' || n, 4102444800, 1 FROM generate_series(1, 5000) AS n;
  UPDATE portcullis.sessions SET label = 'label of ' || id WHERE id LIKE 'id %';
  UPDATE portcullis.users SET password_version = 2 WHERE id IN ('id 8', 'id 9');
  UPDATE portcullis.head SET position = 5000;
  INSERT INTO portcullis.log (position, id, type, version, at, subject_kind, subject_id, actor_kind, data)
    SELECT n, 'event ' || n, CASE n % 2 WHEN 0 THEN 'UserSignedIn' ELSE 'UserSignedOut' END, 1, '', 'user', 'u', 'nobody', '{}'
    FROM generate_series(1, 5000) AS n;
  ANALYZE portcullis.applications, portcullis.users, portcullis.sessions, portcullis.revoked_tokens, portcullis.one_time_tokens,
    portcullis.factors, portcullis.log`
