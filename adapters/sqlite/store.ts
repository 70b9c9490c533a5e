import type Database from 'better-sqlite3'
import * as E from 'fp-ts/lib/Either.js'
import { pipe } from 'fp-ts/lib/function.js'
import * as O from 'fp-ts/lib/Option.js'
import type { TaskEither } from 'fp-ts/lib/TaskEither.js'
import type {
  Change,
  Conflict,
  EmailTaken,
  Row,
  Store,
  StoreUnavailable,
  Table,
} from '../../application/ports/store.ts'
import type { Application } from '../../domain/application.ts'
import { emailKey } from '../../domain/user.ts'
import { decodeEntry, encodeEntry } from '../codec/log-entry.ts'
import { type Columns, decodeRows, encodeRow, ROWS, type RowCodec } from '../codec/rows.ts'
import { oneRow, orUnreadable, STORE_CLOSED, unavailable } from '../codec/unavailable.ts'
import { checkpointRegularly } from './checkpoint.ts'
import { type Opening, openDatabase } from './database.ts'
import { groupCommit, reasonOf } from './group-commit.ts'

/**
 * A store in one SQLite file. Several processes of one machine may share it.
 *
 * @param committed hears how many changes each transaction has committed
 * @throws Error with one sentence for operators when the file cannot be used
 */
export const sqliteStore = (
  path: string,
  opening: Opening = 'prepare',
  committed?: (changes: number) => void,
): Store => {
  const db = openDatabase(path, opening)
  const changes = groupCommit(
    db,
    applyTo(db),
    ({ events, rows }: Change) => events.length + rows.length === 1,
    committed,
  )
  const checkpoints = checkpointRegularly(db)
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
    application: lookUp(db, 'applications', ROWS.applications, 'id'),
    userByEmail: lookUp(db, 'users', ROWS.users, 'email_key'),
    session: db
      .prepare<[string], ReadonlyArray<unknown>>(
        `SELECT ${columnsOf('s', 'sessions')}, ${columnsOf('u', 'users')}, ${columnsOf('a', 'applications')}
         FROM sessions AS s JOIN users AS u ON u.id = s.user_id LEFT JOIN applications AS a ON a.id = s.application_id
         WHERE s.id = ?`,
      )
      .raw(), // the tables have columns of one name, and an array costs less than an object for each
    keys: db.prepare('SELECT * FROM keys ORDER BY created_at, id'),
    events: db.prepare('SELECT * FROM log WHERE position > ? ORDER BY position LIMIT ?'),
    rows: {
      applications: rowsOf(db, 'applications'),
      users: rowsOf(db, 'users'),
      sessions: rowsOf(db, 'sessions'),
      keys: rowsOf(db, 'keys'),
      revoked_tokens: rowsOf(db, 'revoked_tokens'),
    },
    eventsOfType: db.prepare('SELECT * FROM log WHERE position > ? AND type = ? ORDER BY position LIMIT ?'),
  }

  return {
    commit: (change) => async () => (closed ? STORE_CLOSED : changes.commit(change)()),
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
    listSigningKeys: () =>
      read(() => pipe(statement.keys.all(), E.traverseArray(ROWS.keys.decode), orUnreadable('keys'))),
    listRows: ({ table, after, limit }) =>
      read(() =>
        pipe(decodeRows(table, statement.rows[table].all(after, Math.max(0, limit))), orUnreadable(table)),
      ),
    readEvents: ({ after, limit, type }) =>
      read(() =>
        pipe(
          type === undefined
            ? statement.events.all(after, Math.max(0, limit))
            : statement.eventsOfType.all(after, type, Math.max(0, limit)),
          E.traverseArray(decodeEntry),
          orUnreadable('the log'),
        ),
      ),
    close: async () => {
      closed = true
      checkpoints.end()
      await changes.drained()
      if (db.open) db.close()
    },
  }
}

/** Writes the changes of one transaction, one after the other. */
const applyTo = (db: Database.Database) => {
  const head = db.prepare<[], number>('SELECT coalesce(max(position), 0) FROM log').pluck()
  const isKnown = db.prepare('SELECT 1 FROM log WHERE id = ?').pluck()
  const append = db.prepare(
    `INSERT INTO log (position, id, type, version, at, subject_kind, subject_id, actor_kind, actor_id, request_id, data)
     VALUES (@position, @id, @type, @version, @at, @subject_kind, @subject_id, @actor_kind, @actor_id, @request_id, @data)`,
  )
  const tables = {
    applications: writerOf(db, 'applications'),
    users: writerOf(db, 'users'),
    sessions: writerOf(db, 'sessions'),
    keys: writerOf(db, 'keys'),
    revoked_tokens: writerOf(db, 'revoked_tokens'),
  }

  return () => {
    let last = head.get() ?? 0
    return (change: Change): Conflict | EmailTaken | undefined => {
      let position = last
      try {
        for (const entry of change.events) {
          position += 1
          append.run(encodeEntry(entry, position))
        }
      } catch (error) {
        // The log takes an id once, and a change has the id of its first event: then it is all there already.
        if (position === last + 1 && isKnown.get(change.id) !== undefined) return undefined
        throw error
      }
      for (const row of change.rows) {
        const refusal = tables[row.table](row)
        if (refusal !== undefined) return refusal
      }
      last = position
      return undefined
    }
  }
}

/** Writes one row if the stored version is the one it was read at. */
const writerOf = (db: Database.Database, table: Table) => {
  const { columns } = ROWS[table]
  const insert = db.prepare(
    `INSERT INTO ${table} (${columns.join(', ')}) VALUES (${columns.map((name) => `@${name}`).join(', ')})
     ON CONFLICT (id) DO NOTHING`,
  )
  const update = db.prepare(
    `UPDATE ${table} SET ${columns.map((name) => `${name} = @${name}`).join(', ')}
     WHERE id = @id AND version = @version - 1`,
  )

  return (written: Row): Conflict | EmailTaken | undefined => {
    try {
      const { changes } = (written.row.version === 1 ? insert : update).run(encodeRow(written))
      return changes === 1 ? undefined : { _tag: 'Conflict' }
    } catch (error) {
      // The e-mail is the only thing besides the id that has to be unique.
      if (table === 'users' && reasonOf(error) === 'SQLITE_CONSTRAINT_UNIQUE') return { _tag: 'EmailTaken' }
      throw error
    }
  }
}

/**
 * Finds the row with a key that a client may have made up. Where there is none, its neighbour is read and decoded all the same
 * (behind the last row, that one), so that the time tells nobody which e-mails and applications there are.
 */
const lookUp = <Entity>(
  db: Database.Database,
  table: Table,
  codec: RowCodec<Entity>,
  key: 'id' | 'email_key',
) => {
  const nearest = db.prepare<[string], Columns>(
    `SELECT * FROM ${table} WHERE ${key} >= min(?, (SELECT max(${key}) FROM ${table})) ORDER BY ${key} LIMIT 1`,
  )

  return (value: string): E.Either<StoreUnavailable, O.Option<Entity>> => {
    const row = nearest.get(value)
    const decoded = oneRow(codec, table, row)
    return row?.[key] === value ? decoded : E.right(O.none)
  }
}

/** By an index that has them in this order, so that no more of them are read than are asked for. */
export const SESSIONS_OF_A_USER = `
  SELECT s.* FROM sessions AS s LEFT JOIN applications AS a ON a.id = s.application_id
  WHERE s.user_id = ? AND s.password_version = ? AND s.signed_out = 0 AND s.expires_at > ?
    AND (s.application_id IS NULL OR a.revoked = 0)
  ORDER BY s.expires_at DESC, s.id DESC LIMIT ?`

const rowsOf = (db: Database.Database, table: Table) =>
  db.prepare(`SELECT * FROM ${table} WHERE id > ? ORDER BY id LIMIT ?`)

const columnsOf = (alias: string, table: Table): string =>
  ROWS[table].columns.map((name) => `${alias}.${name}`).join(', ')

/** The application in the values of a joined session: its id is null where there is none. */
const applicationIn = (values: ReadonlyArray<unknown>): E.Either<StoreUnavailable, O.Option<Application>> => {
  const from = ROWS.sessions.columns.length + ROWS.users.columns.length
  return values[from] === null
    ? E.right(O.none)
    : oneRow(ROWS.applications, 'applications', named('applications', values, from))
}

/** The columns of a table by name, out of the values of a joined row. */
const named = (table: Table, values: ReadonlyArray<unknown>, from: number): Record<string, unknown> => {
  const columns: Record<string, unknown> = {}
  for (const [index, name] of ROWS[table].columns.entries()) columns[name] = values[from + index]
  return columns
}
