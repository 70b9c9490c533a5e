import type Database from 'better-sqlite3'
import * as E from 'fp-ts/lib/Either.js'
import { pipe } from 'fp-ts/lib/function.js'
import * as O from 'fp-ts/lib/Option.js'
import type { TaskEither } from 'fp-ts/lib/TaskEither.js'
import {
  type Change,
  type Conflict,
  type EmailTaken,
  PASSWORD_SCHEMES_AT_MOST,
  type Store,
  type StoreUnavailable,
  type Table,
} from '../../../application/ports/store.ts'
import type { Application } from '../../../domain/application.ts'
import { emailKey } from '../../../domain/user.ts'
import { Epoch } from '../records/columns.ts'
import { decodeEntry } from '../records/log-entry.ts'
import { type Columns, decodeRows, ROWS, type RowCodec } from '../records/rows.ts'
import { oneRow, orUnreadable, STORE_CLOSED, unavailable } from '../records/unavailable.ts'
import { checkpointRegularly, NO_CHECKPOINTS } from './checkpoint.ts'
import { type Opening, openDatabase } from './database.ts'
import { groupCommit, reasonOf } from './group-commit.ts'
import { changeWriter, type WriteRequest } from './write.ts'

/**
 * A store in one SQLite file. Several processes of one machine may share it.
 *
 * @throws Error with one sentence for operators when the file cannot be used
 */
export const sqliteStore = (
  path: string,
  { opening = 'migrate', onCommitted }: SqliteStoreOptions = {},
): Store => {
  const db = openDatabase(path, { opening })
  const changes = groupCommit<WriteRequest, Conflict | EmailTaken>({
    db,
    open: changeWriter(db),
    isOneStatement: (asked) => 'events' in asked && asked.events.length + asked.rows.length === 1,
    onCommitted,
  })
  const checkpoints = opening === 'read-only' ? NO_CHECKPOINTS : checkpointRegularly(db)
  let closed = false

  const read =
    <A>(query: () => E.Either<StoreUnavailable, A>): TaskEither<StoreUnavailable, A> =>
    async () => {
      if (closed) return STORE_CLOSED
      try {
        return query()
      } catch (error) {
        return unavailable(reasonOf(error))
      }
    }

  const statement = {
    revokedToken: db.prepare<[string], Columns>('SELECT * FROM revoked_tokens WHERE id = ?'),
    sessions: db.prepare<[string, number, number, number], Columns>(SESSIONS_OF_A_USER),
    application: lookUp(db, { table: 'applications', codec: ROWS.applications, key: 'id' }),
    userByEmail: lookUp(db, { table: 'users', codec: ROWS.users, key: 'email_key' }),
    session: db
      .prepare<[string], ReadonlyArray<unknown>>(
        `SELECT ${columnsOf('s', 'sessions')}, ${columnsOf('u', 'users')}, ${columnsOf('a', 'applications')}
         FROM sessions AS s JOIN users AS u ON u.id = s.user_id LEFT JOIN applications AS a ON a.id = s.application_id
         WHERE s.id = ?`,
      )
      .raw(), // column names repeat across the tables, and an array costs less than three objects
    epoch: db.prepare('SELECT epoch FROM log_epoch').pluck(),
    passwordSchemes: db.prepare<[number], string>(PASSWORD_SCHEMES).pluck(),
    keys: db.prepare('SELECT * FROM keys ORDER BY created_at, id'),
    events: db.prepare(EVENTS),
    rows: {
      applications: rowsOf(db, 'applications'),
      users: rowsOf(db, 'users'),
      sessions: rowsOf(db, 'sessions'),
      keys: rowsOf(db, 'keys'),
      revoked_tokens: rowsOf(db, 'revoked_tokens'),
    },
    eventsOfType: db.prepare(EVENTS_OF_A_TYPE),
  }

  return {
    commit: (change) => async () => {
      if (closed) return STORE_CLOSED
      const outcome = await changes.commit(change)()
      if (overwritesSecrets(change)) checkpoints.erase()
      return outcome
    },
    findApplication: (id) => read(() => statement.application(id)),
    findTokenHolder: (applicationId, tokenId) =>
      read(() =>
        pipe(
          E.Do,
          E.apS('application', statement.application(applicationId)),
          E.apS(
            'revocation',
            oneRow(ROWS.revoked_tokens, 'revoked_tokens', statement.revokedToken.get(tokenId)),
          ),
          E.map(({ application, revocation }) =>
            O.map((found: Application) => ({ application: found, revocation }))(application),
          ),
        ),
      ),
    findUserByEmail: (email) => read(() => statement.userByEmail(emailKey(email))),
    findSession: (id) =>
      read(() => {
        const values = statement.session.get(id)
        return values === undefined
          ? E.right(O.none)
          : pipe(
              E.Do,
              E.apS(
                'session',
                pipe(ROWS.sessions.decode(named('sessions', values, 0)), orUnreadable('sessions')),
              ),
              E.apS(
                'user',
                pipe(
                  ROWS.users.decode(named('users', values, ROWS.sessions.columns.length)),
                  orUnreadable('users'),
                ),
              ),
              E.apS('application', applicationIn(values)),
              E.map(O.some),
            )
      }),
    listSessions: ({ userId, passwordVersion, expiresAfterSeconds, limit }) =>
      read(() =>
        pipe(
          statement.sessions.all(userId, passwordVersion, expiresAfterSeconds, Math.max(0, limit)),
          E.traverseArray(ROWS.sessions.decode),
          orUnreadable('sessions'),
        ),
      ),
    listPasswordSchemes: () => read(() => E.right(statement.passwordSchemes.all(PASSWORD_SCHEMES_AT_MOST))),
    listSigningKeys: () =>
      read(() => pipe(statement.keys.all(), E.traverseArray(ROWS.keys.decode), orUnreadable('keys'))),
    listRows: ({ table, after, limit }) =>
      read(() =>
        pipe(decodeRows(table, statement.rows[table].all(after, Math.max(0, limit))), orUnreadable(table)),
      ),
    readEvents: ({ after, through = LAST_POSITION, limit, type }) =>
      read(() =>
        pipe(
          type === undefined
            ? statement.events.all(after, through, Math.max(0, limit))
            : statement.eventsOfType.all(after, through, type, Math.max(0, limit)),
          E.traverseArray(decodeEntry),
          orUnreadable('the log'),
        ),
      ),
    readEpoch: () => read(() => pipe(Epoch.decode(statement.epoch.get()), orUnreadable('the epoch'))),
    renewEpoch: (entryOf) => async () => {
      if (closed) return STORE_CLOSED
      let epoch = ''
      const asked: WriteRequest = {
        entryOf,
        renewed: (next) => {
          epoch = next
        },
      }
      const outcome = await changes.commit(asked)()
      if (E.isRight(outcome)) return E.right(epoch)
      return outcome.left._tag === 'StoreUnavailable' ? E.left(outcome.left) : unavailable(outcome.left._tag)
    },
    checkWritable: () =>
      read(() => (opening === 'read-only' ? unavailable('SQLITE_READONLY') : changes.checkWritable())),
    close: async () => {
      closed = true
      checkpoints.end()
      await changes.drained()
      if (db.open) db.close()
    },
  }
}

export type SqliteStoreOptions = Readonly<{
  opening?: Opening | undefined
  /** Called after each transaction. */
  onCommitted?: ((changes: number) => void) | undefined
}>

/** Whether the change replaces a password record, an e-mail or key material. */
const overwritesSecrets = ({ rows }: Change): boolean =>
  rows.some(({ table, row }) => (table === 'users' || table === 'keys') && row.version > 1)

/**
 * Finds the row with a key that may come from a client. Without a match, the nearest row is read and decoded all the
 * same, so that the time does not reveal which e-mails and applications exist.
 */
const lookUp = <Entity>(db: Database.Database, { table, codec, key }: UniqueKey<Entity>) => {
  const nearest = db.prepare<[string], Columns>(
    `SELECT * FROM ${table} WHERE ${key} >= min(?, (SELECT max(${key}) FROM ${table})) ORDER BY ${key} LIMIT 1`,
  )

  return (value: string): E.Either<StoreUnavailable, O.Option<Entity>> => {
    const row = nearest.get(value)
    const decoded = oneRow(codec, table, row)
    return row?.[key] === value ? decoded : E.right(O.none)
  }
}

type UniqueKey<Entity> = Readonly<{ table: Table; codec: RowCodec<Entity>; key: 'id' | 'email_key' }>

/** Uses an index in this order, so that it reads only the sessions it returns. */
export const SESSIONS_OF_A_USER = `
  SELECT s.* FROM sessions AS s LEFT JOIN applications AS a ON a.id = s.application_id
  WHERE s.user_id = ? AND s.password_version = ? AND s.signed_out = 0 AND s.expires_at > ?
    AND (s.application_id IS NULL OR a.revoked = 0)
  ORDER BY s.expires_at DESC, s.id DESC LIMIT ?`

const EVENTS = 'SELECT * FROM log WHERE position > ? AND position <= ? ORDER BY position LIMIT ?'

/** Reads no entry beyond the range. */
export const EVENTS_OF_A_TYPE =
  'SELECT * FROM log WHERE position > ? AND position <= ? AND type = ? ORDER BY position LIMIT ?'

/** The largest bigint. An entry with a position beyond a safe integer is found, and its codec refuses it. */
const LAST_POSITION = 2n ** 63n - 1n

/** Skips from scheme to scheme by their index, and reads no user. */
export const PASSWORD_SCHEMES = `
  WITH RECURSIVE schemes (scheme) AS (
    SELECT min(password_scheme) FROM users WHERE password_scheme > ''
    UNION ALL
    SELECT (SELECT min(password_scheme) FROM users WHERE password_scheme > scheme) FROM schemes WHERE scheme IS NOT NULL
  )
  SELECT scheme FROM schemes WHERE scheme IS NOT NULL LIMIT ?`

const rowsOf = (db: Database.Database, table: Table) =>
  db.prepare(`SELECT * FROM ${table} WHERE id > ? ORDER BY id LIMIT ?`)

const columnsOf = (alias: string, table: Table): string =>
  ROWS[table].columns.map((name) => `${alias}.${name}`).join(', ')

/** The application in the values of a joined session; none if its id is null. */
const applicationIn = (values: ReadonlyArray<unknown>): E.Either<StoreUnavailable, O.Option<Application>> => {
  const from = ROWS.sessions.columns.length + ROWS.users.columns.length
  return values[from] === null
    ? E.right(O.none)
    : oneRow(ROWS.applications, 'applications', named('applications', values, from))
}

/** The columns of one table in the values of a joined row. */
const named = (table: Table, values: ReadonlyArray<unknown>, from: number): Record<string, unknown> => {
  const columns: Record<string, unknown> = {}
  for (const [index, name] of ROWS[table].columns.entries()) columns[name] = values[from + index]
  return columns
}
