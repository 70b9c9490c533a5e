import * as E from 'fp-ts/lib/Either.js'
import { pipe } from 'fp-ts/lib/function.js'
import * as O from 'fp-ts/lib/Option.js'
import type { TaskEither } from 'fp-ts/lib/TaskEither.js'
import {
  type Change,
  PASSWORD_SCHEMES_AT_MOST,
  type Store,
  type StoreUnavailable,
  type Table,
} from '../../../application/ports/store.ts'
import type { Application } from '../../../domain/application.ts'
import { emailKey, type User } from '../../../domain/user.ts'
import { Epoch } from '../records/columns.ts'
import { decodeEntry } from '../records/log-entry.ts'
import { decodeRows, ROWS, type RowCodec } from '../records/rows.ts'
import { oneRow, orUnreadable, STORE_CLOSED, unavailable } from '../records/unavailable.ts'
import { commitsTo } from './commits.ts'
import type { Connections, Query } from './connections.ts'
import { renewEpoch } from './epoch.ts'
import { OutcomeUnknown, reasonOf } from './errors.ts'

/**
 * A store in a PostgreSQL database, shared by any number of instances. It uses only the schema `portcullis`.
 *
 * @param connections to a migrated database; `close` closes them
 * @param options.onKeysChanged called after a transaction that wrote signing keys
 * @param options.onCommitted called after each transaction with the number of its changes
 */
export const postgresStore = (
  connections: Connections,
  {
    onKeysChanged = () => {},
    onCommitted = () => {},
  }: Readonly<{ onKeysChanged?: () => void; onCommitted?: (changes: number) => void }> = {},
): Store => {
  const commits = commitsTo(connections, (changes) => {
    onCommitted(changes.length)
    if (changes.some(isOfKeys)) onKeysChanged()
  })
  let closing: Promise<void> | undefined

  const readBy =
    (query: Query) =>
    <A>(
      sql: string,
      values: ReadonlyArray<unknown>,
      decode: (rows: ReadonlyArray<Record<string, unknown>>) => E.Either<StoreUnavailable, A>,
    ): TaskEither<StoreUnavailable, A> =>
    async () => {
      if (closing !== undefined) return STORE_CLOSED
      try {
        return decode((await query<Record<string, unknown>>(sql, values)).rows)
      } catch (error) {
        return unavailable(reasonOf(error))
      }
    }

  /** For reads by an index, which are fast. */
  const read = readBy(connections.read)

  /**
   * In a transaction, because only that has a statement timeout in the server. Without it, an abandoned statement
   * would run on.
   */
  const readPage = readBy((sql, values) => connections.transaction((query) => query(sql, values)))

  /**
   * Finds the row with a key that may come from a client. Without a match, the nearest row is read and decoded all the
   * same, so that the time does not reveal which e-mails and applications exist.
   */
  const lookUp = <Entity>({ table, codec, key }: UniqueKey<Entity>, value: string) =>
    read(NEAREST[key](table), [storable(value)], ([row]) => {
      const decoded = oneRow(codec, table, row)
      return row?.[key] === value ? decoded : E.right(O.none)
    })

  return {
    commit: (change) => async () => (closing === undefined ? commits.commit(change) : STORE_CLOSED),
    findApplication: (id) => lookUp(APPLICATION_BY_ID, id),
    findTokenHolder: (applicationId, tokenId) =>
      read(TOKEN_HOLDER, [storable(applicationId), storable(tokenId)], ([row]) =>
        row === undefined || row.applications_id !== applicationId
          ? E.right(O.none)
          : pipe(
              E.Do,
              E.apS(
                'application',
                pipe(ROWS.applications.decode(part(row, 'applications')), orUnreadable('applications')),
              ),
              E.apS(
                'revocation',
                row.revoked_tokens_id === tokenId
                  ? oneRow(ROWS.revoked_tokens, 'revoked_tokens', part(row, 'revoked_tokens'))
                  : E.right(O.none),
              ),
              E.map(O.some),
            ),
      ),
    findUserByEmail: (email) => lookUp(USER_BY_EMAIL, emailKey(email)),
    findSession: (id) =>
      read(SESSION, [storable(id)], ([row]) =>
        row === undefined || row.sessions_id !== id
          ? E.right(O.none)
          : pipe(
              E.Do,
              E.apS('session', pipe(ROWS.sessions.decode(part(row, 'sessions')), orUnreadable('sessions'))),
              E.apS('user', pipe(ROWS.users.decode(part(row, 'users')), orUnreadable('users'))),
              E.apS(
                'application',
                row.applications_id === null
                  ? E.right(O.none)
                  : oneRow(ROWS.applications, 'applications', part(row, 'applications')),
              ),
              E.map(O.some),
            ),
      ),
    listSessions: ({ userId, passwordVersion, expiresAfterSeconds, limit }) =>
      read(SESSIONS, [storable(userId), passwordVersion, expiresAfterSeconds, Math.max(0, limit)], (rows) =>
        pipe(
          rows.filter(({ user_id }) => user_id === userId), // `storable` may have changed the id
          E.traverseArray(ROWS.sessions.decode),
          orUnreadable('sessions'),
        ),
      ),
    listPasswordSchemes: () =>
      read(PASSWORD_SCHEMES, [PASSWORD_SCHEMES_AT_MOST], (rows) =>
        E.right(rows.map(({ scheme }) => String(scheme))),
      ),
    listSigningKeys: () =>
      read('SELECT * FROM portcullis.keys ORDER BY created_at, id', [], (rows) =>
        pipe(rows, E.traverseArray(ROWS.keys.decode), orUnreadable('keys')),
      ),
    listRows: ({ table, after, limit }) =>
      readPage(
        `SELECT * FROM portcullis.${table} WHERE id > $1 ORDER BY id LIMIT $2`,
        [before(after), Math.max(0, limit)],
        (rows) => pipe(decodeRows(table, rows), orUnreadable(table)),
      ),
    readEvents: ({ after, through = LAST_POSITION, limit, type }) =>
      readPage(
        `SELECT * FROM portcullis.log
         WHERE position > $1 AND position <= $2 AND ($4::text IS NULL OR type = $4) ORDER BY position LIMIT $3`,
        [after, through, Math.max(0, limit), type ?? null],
        (rows) => pipe(rows, E.traverseArray(decodeEntry), orUnreadable('the log')),
      ),
    readEpoch: () =>
      read('SELECT epoch FROM portcullis.head', [], ([row]) =>
        pipe(Epoch.decode(row?.epoch), orUnreadable('the epoch')),
      ),
    renewEpoch: (entryOf) => async () => {
      if (closing !== undefined) return STORE_CLOSED
      try {
        return E.right(await connections.transaction((query) => renewEpoch(query, entryOf)))
      } catch (error) {
        const failed = unavailable(reasonOf(error))
        return error instanceof OutcomeUnknown
          ? pipe(
              failed,
              E.mapLeft((left) => ({ ...left, outcome: 'unknown' as const })),
            )
          : failed
      }
    },
    checkWritable: () => async () => {
      if (closing !== undefined) return STORE_CLOSED
      try {
        await connections.transaction((query) => query(WRITE_NOTHING))
        return E.right(undefined)
      } catch (error) {
        return unavailable(reasonOf(error))
      }
    },
    close: async () => {
      closing ??= commits.drained().then(connections.close)
      await closing
    },
  }
}

type UniqueKey<Entity> = Readonly<{ table: Table; codec: RowCodec<Entity>; key: 'id' | 'email_key' }>

const APPLICATION_BY_ID: UniqueKey<Application> = {
  table: 'applications',
  codec: ROWS.applications,
  key: 'id',
}
const USER_BY_EMAIL: UniqueKey<User> = { table: 'users', codec: ROWS.users, key: 'email_key' }

const isOfKeys = ({ rows }: Change): boolean => rows.some(({ table }) => table === 'keys')

/** Fails on a read-only server and without the right to write. Otherwise it does nothing. */
const WRITE_NOTHING = 'UPDATE portcullis.head SET position = position WHERE false'

/** The largest bigint. An entry with a position beyond a safe integer is found, and its codec refuses it. */
const LAST_POSITION = 2n ** 63n - 1n

/** PostgreSQL cannot store NUL. The replacement matches no row either. */
const storable = (text: string): string => text.replaceAll('\0', '\ufffd')

/** The part before NUL sorts like the whole text. */
const before = (text: string): string => text.slice(0, `${text}\0`.indexOf('\0'))

const nearest = (key: 'id' | 'email_key') => (table: Table) =>
  `SELECT * FROM portcullis.${table}
   WHERE ${key} >= least($1, (SELECT max(${key}) FROM portcullis.${table})) ORDER BY ${key} LIMIT 1`

const NEAREST = { id: nearest('id'), email_key: nearest('email_key') }

/** The columns of a table with the table's name as a prefix. */
const columnsOf = (table: Table): string =>
  ROWS[table].columns.map((name) => `${table}.${name} AS ${table}_${name}`).join(', ')

const SESSION = `
  SELECT ${columnsOf('sessions')}, ${columnsOf('users')}, ${columnsOf('applications')}
  FROM portcullis.sessions JOIN portcullis.users ON users.id = sessions.user_id
    LEFT JOIN portcullis.applications ON applications.id = sessions.application_id
  WHERE sessions.id = $1`

const TOKEN_HOLDER = `
  SELECT ${columnsOf('applications')}, ${columnsOf('revoked_tokens')}
  FROM portcullis.applications LEFT JOIN portcullis.revoked_tokens ON revoked_tokens.id = $2
  WHERE applications.id = $1`

const SESSIONS = `
  SELECT sessions.*
  FROM portcullis.sessions LEFT JOIN portcullis.applications ON applications.id = sessions.application_id
  WHERE user_id = $1 AND password_version = $2 AND signed_out = 0 AND expires_at > $3
    AND (application_id IS NULL OR applications.revoked = 0)
  ORDER BY expires_at DESC, sessions.id DESC LIMIT $4`

/** Skips from scheme to scheme by their index, and reads no user. */
const PASSWORD_SCHEMES = `
  WITH RECURSIVE schemes (scheme) AS (
    SELECT min(password_scheme) FROM portcullis.users WHERE password_scheme > ''
    UNION ALL
    SELECT (SELECT min(password_scheme) FROM portcullis.users WHERE password_scheme > scheme) FROM schemes WHERE scheme IS NOT NULL
  )
  SELECT scheme FROM schemes WHERE scheme IS NOT NULL LIMIT $1`

/** The columns of one table in a joined row. */
const part = (row: Record<string, unknown>, table: Table): Record<string, unknown> =>
  Object.fromEntries(ROWS[table].columns.map((name) => [name, row[`${table}_${name}`]]))
