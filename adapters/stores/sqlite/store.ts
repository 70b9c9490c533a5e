import type Database from 'better-sqlite3'
import * as E from 'fp-ts/lib/Either.js'
import { pipe } from 'fp-ts/lib/function.js'
import * as O from 'fp-ts/lib/Option.js'
import type { TaskEither } from 'fp-ts/lib/TaskEither.js'
import type { Clock } from '../../../application/ports/environment.ts'
import type { LogTree } from '../../../application/ports/log-tree.ts'
import type { Outbox } from '../../../application/ports/outbox.ts'
import type { ENTRIES_KEPT_AT_MOST, ProtocolState } from '../../../application/ports/protocol-state.ts'
import type { StoreOpening } from '../../../application/ports/storage.ts'
import {
  type Change,
  type Conflict,
  type EmailTaken,
  perTable,
  type SessionQuery,
  type Store,
  type StoreUnavailable,
  type Table,
} from '../../../application/ports/store.ts'
import type { Application } from '../../../domain/application.ts'
import { emailKey } from '../../../domain/user.ts'
import { Epoch } from '../records/columns.ts'
import { knownAmong } from '../records/known-users.ts'
import { decodeEntryValues, LOG_COLUMNS } from '../records/log-entry.ts'
import { type Columns, ROWS } from '../records/rows.ts'
import {
  manyRawRows,
  manyRows,
  oneRow,
  orUnreadable,
  STORE_CLOSED,
  unavailable,
} from '../records/unavailable.ts'
import { checkpointRegularly, NO_CHECKPOINTS } from './checkpoint.ts'
import { refusalIn } from './copy-state.ts'
import { openDatabase } from './database.ts'
import { groupCommit } from './group-commit.ts'
import { attempt, groupedReads } from './grouped-reads.ts'
import { FACTOR, factorIn, ONE_TIME_TOKEN, oneTimeTokenIn } from './joined-rows.ts'
import { applicationFinder, sessionFinder, userFinder } from './known-rows.ts'
import { sqliteLogTree } from './log-tree.ts'
import { sqliteOutbox } from './outbox.ts'
import { sqliteProtocolState } from './protocol-state.ts'
import { userLister } from './user-lists.ts'
import { type Writability, writabilityOf } from './writability.ts'
import { changeWriter, entryRemover, expiredRemover, labelEraser, type WriteRequest } from './write.ts'

/**
 * A store in one SQLite file. Several processes of one machine may share it.
 *
 * @throws Error with one sentence for operators when the file cannot be used
 */
export const sqliteStore = (
  path: string,
  {
    opening = 'migrate',
    onCommitted,
    writability = writabilityOf(path),
    clock = Date.now,
    entriesKeptAtMost,
  }: SqliteStoreOptions = {},
): Store & LogTree & Readonly<{ outbox: Outbox; protocolState: ProtocolState }> => {
  const db = openDatabase(path, { opening })
  const changes = groupCommit<WriteRequest, Conflict | EmailTaken | StoreUnavailable>({
    db,
    open: changeWriter(db),
    onCommitted,
    onFailed: writability.failed,
  })
  const removeExpired = expiredRemover(db)
  const eraseLabels = labelEraser(db)
  const removeEntries = entryRemover(db)
  const checkpoints = opening === 'read-only' ? NO_CHECKPOINTS : checkpointRegularly(db)
  let closed = false

  const grouped = groupedReads(db)
  const read = <A>(query: () => E.Either<StoreUnavailable, A>): TaskEither<StoreUnavailable, A> =>
    grouped(() => (closed ? STORE_CLOSED : query()))
  const write =
    <A>(work: () => A): TaskEither<StoreUnavailable, A> =>
    async () => {
      if (closed) return STORE_CLOSED
      let done: ReadonlyArray<A> = []
      const asked: WriteRequest = {
        work: () => {
          done = [work()]
        },
      }
      const outcome = await changes.commit(asked)()
      return E.isRight(outcome) ? E.right(done[0] as A) : refusedAs(outcome.left) // all committed work was done
    }
  const refusal = refusalIn(db)

  const listUsers = userLister(db)
  const statement = {
    revokedToken: db.prepare<[string], Columns>('SELECT * FROM revoked_tokens WHERE id = ?'),
    sessions: db.prepare<[SessionQuery], Columns>(SESSIONS_OF_A_USER),
    application: applicationFinder(db),
    userByEmail: userFinder(db),
    user: db.prepare<[string], Columns>('SELECT * FROM users WHERE id = ?'),
    knownEmailKeys: db.prepare<[string], string>(KNOWN_EMAIL_KEYS).pluck(),
    knownIds: db.prepare<[string], string>(KNOWN_IDS).pluck(),
    oneTimeToken: db.prepare<[string], ReadonlyArray<unknown>>(ONE_TIME_TOKEN).raw(),
    session: sessionFinder(db),
    factor: db.prepare<[string], Values>(FACTOR).raw(),
    factors: db.prepare<[string], Columns>(FACTORS_OF_A_USER),
    epoch: db.prepare('SELECT epoch FROM log_epoch').pluck(),
    passwordSchemes: db.prepare<[string, number], string>(PASSWORD_SCHEMES).pluck(),
    keys: db.prepare('SELECT * FROM keys ORDER BY created_at, id'),
    events: db.prepare<[number, number | bigint, number], Values>(EVENTS).raw(),
    rows: perTable((table) => rowsOf(db, table)),
    eventsOfType: db.prepare<[number, number | bigint, string, number], Values>(EVENTS_OF_A_TYPE).raw(),
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
          E.apS('revocation', oneRow('revoked_tokens', statement.revokedToken.get(tokenId))),
          E.map(({ application, revocation }) =>
            O.map((found: Application) => ({ application: found, revocation }))(application),
          ),
        ),
      ),
    findUserByEmail: (email) => read(() => statement.userByEmail(emailKey(email))),
    findUser: (id) => read(() => oneRow('users', statement.user.get(id))),
    findKnownUsers: (keys) =>
      read(() => {
        const emailKeys = statement.knownEmailKeys.all(JSON.stringify(keys.emailKeys))
        return E.right(knownAmong(keys, { emailKeys, ids: statement.knownIds.all(JSON.stringify(keys.ids)) }))
      }),
    findOneTimeToken: (digest) =>
      read(() => {
        const values = statement.oneTimeToken.get(digest)
        return values === undefined ? E.right(O.none) : pipe(oneTimeTokenIn(values), E.map(O.some))
      }),
    findSession: (id) => read(() => statement.session(id)),
    listSessions: (query) =>
      read(() => manyRows('sessions', statement.sessions.all({ ...query, limit: Math.max(0, query.limit) }))),
    listFactors: (userId) => read(() => manyRows('factors', statement.factors.all(userId))),
    findFactor: (id) =>
      read(() => {
        const values = statement.factor.get(id)
        return values === undefined ? E.right(O.none) : pipe(factorIn(values), E.map(O.some))
      }),
    listUsers: (query) => read(() => manyRows('users', listUsers(query))),
    listPasswordSchemes: ({ after, limit }) =>
      read(() => E.right(statement.passwordSchemes.all(after, Math.max(0, limit)))),
    listSigningKeys: () => read(() => manyRows('keys', statement.keys.all())),
    listRows: ({ table, after, limit }) =>
      read(() => manyRawRows(table, statement.rows[table].all(after, Math.max(0, limit)))),
    readEvents: ({ after, through = LAST_POSITION, limit, type }) =>
      read(() =>
        pipe(
          type === undefined
            ? statement.events.all(after, through, Math.max(0, limit))
            : statement.eventsOfType.all(after, through, type, Math.max(0, limit)),
          E.traverseArray(decodeEntryValues),
          orUnreadable('the log'),
        ),
      ),
    outbox: sqliteOutbox(db, { read, write, erase: checkpoints.erase, clock }),
    protocolState: sqliteProtocolState(db, { read, write }, entriesKeptAtMost),
    ...sqliteLogTree(db, { read, write }),
    pruneLog: (pruned) => async () => {
      const outcome = await write(() => removeEntries(pruned))()
      checkpoints.erase()
      return outcome
    },
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
      return E.isRight(outcome) ? E.right(epoch) : refusedAs(outcome.left)
    },
    deleteExpired: (query) => async () => {
      const outcome = await write(() => removeExpired(query))()
      if (ROWS[query.table].holdsSecrets && E.isRight(outcome) && outcome.right > 0) checkpoints.erase()
      return outcome
    },
    eraseEndedLabels: (limit) => async () => {
      const outcome = await write(() => eraseLabels(Math.max(0, limit)))()
      if (E.isRight(outcome) && outcome.right.erased > 0) checkpoints.erase()
      return E.map((done: { areLeft: boolean }) => done.areLeft)(outcome)
    },
    checkWritable: () => async () => {
      if (closed) return STORE_CLOSED
      const refused = attempt(() => {
        const reason = refusal()
        if (reason !== undefined) return E.left(reason)
        return opening === 'read-only' ? unavailable('SQLITE_READONLY') : E.right(undefined)
      })
      return E.isLeft(refused) ? refused : writability.check(changes.rehearse)
    },
    close: async () => {
      closed = true
      checkpoints.end()
      await changes.drained()
      if (db.open) db.close()
    },
  }
}

/** What writes no row has no conflict. */
const refusedAs = (failure: Conflict | EmailTaken | StoreUnavailable): E.Either<StoreUnavailable, never> =>
  failure._tag === 'StoreUnavailable' ? E.left(failure) : unavailable(failure._tag)

export type SqliteStoreOptions = Readonly<{
  opening?: StoreOpening | undefined
  /** Called after each transaction. */
  onCommitted?: ((changes: number) => void) | undefined
  /** Shared with the other connections of this process to the file. */
  writability?: Writability | undefined
  /** Of the outbox. By default that of the machine. */
  clock?: Clock | undefined
  /** Of the protocol state. */
  entriesKeptAtMost?: typeof ENTRIES_KEPT_AT_MOST | undefined
}>

/**
 * Whether the change replaces a password record, an e-mail, key material or the secret of a factor, empties the e-mails of a one-time
 * token, or deletes the label of a session or the address of a mail.
 */
const overwritesSecrets = ({ rows, settled, withdrawn }: Change): boolean =>
  settled !== undefined ||
  withdrawn !== undefined ||
  rows.some((written) =>
    written.table === 'sessions'
      ? written.row.signedOut
      : ROWS[written.table].holdsSecrets && written.row.version > 1,
  )

/** Uses an index in this order, so that it reads only the sessions it returns. For SQLite, CROSS JOIN keeps the order of the tables. */
export const SESSIONS_OF_A_USER = `
  SELECT s.* FROM sessions AS s CROSS JOIN applications AS a ON a.id = s.application_id
  WHERE s.user_id = @userId AND s.password_version = @passwordVersion AND s.sessions_version = @sessionsVersion
    AND s.signed_out = 0 AND s.expires_at > @expiresAfterSeconds
    AND a.revoked = 0
  ORDER BY s.expires_at DESC, s.id DESC LIMIT @limit OFFSET @skip`

/** Its index has no removed factors. */
export const FACTORS_OF_A_USER = 'SELECT * FROM factors WHERE user_id = ? AND removed = 0 ORDER BY id'

/** Their JSON arrays have any length, unlike a list of parameters. */
export const KNOWN_EMAIL_KEYS =
  'SELECT email_key FROM users WHERE email_key IN (SELECT value FROM json_each(?))'
export const KNOWN_IDS = 'SELECT id FROM users WHERE id IN (SELECT value FROM json_each(?))'

const EVENTS = `SELECT ${LOG_COLUMNS.join(', ')} FROM log WHERE position > ? AND position <= ? ORDER BY position LIMIT ?`

/** Reads no entry beyond the range. */
export const EVENTS_OF_A_TYPE = `SELECT ${LOG_COLUMNS.join(', ')} FROM log
  WHERE position > ? AND position <= ? AND type = ? ORDER BY position LIMIT ?`

/** The largest bigint. An entry with a position beyond a safe integer is found, and its codec refuses it. */
const LAST_POSITION = 2n ** 63n - 1n

/** Triggers count the users of each scheme. */
export const PASSWORD_SCHEMES =
  'SELECT scheme FROM password_schemes WHERE users > 0 AND scheme > ? ORDER BY scheme LIMIT ?'

const rowsOf = (db: Database.Database, table: Table) =>
  db
    .prepare<[string, number], Values>(
      `SELECT ${ROWS[table].columns.join(', ')} FROM ${table} WHERE id > ? ORDER BY id LIMIT ?`,
    )
    .raw()

/** A row in raw mode, which takes half the time of an object. */
type Values = ReadonlyArray<unknown>
