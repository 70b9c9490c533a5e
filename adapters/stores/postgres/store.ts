import * as E from 'fp-ts/lib/Either.js'
import { pipe } from 'fp-ts/lib/function.js'
import * as O from 'fp-ts/lib/Option.js'
import type { TaskEither } from 'fp-ts/lib/TaskEither.js'
import type { LogTree } from '../../../application/ports/log-tree.ts'
import type { Change, Store, StoreUnavailable, Table } from '../../../application/ports/store.ts'
import { emailKey } from '../../../domain/user.ts'
import { Epoch } from '../records/columns.ts'
import { refusalOf } from '../records/copy-state.ts'
import { knownAmong } from '../records/known-users.ts'
import { decodeEntry } from '../records/log-entry.ts'
import { manyRows, oneRow, orUnreadable, STORE_CLOSED, unavailable } from '../records/unavailable.ts'
import { commitsTo } from './commits.ts'
import type { Connections } from './connections.ts'
import { expectOpen } from './copy-state.ts'
import { renewEpoch } from './epoch.ts'
import { OutcomeUnknown, reasonOf } from './errors.ts'
import { groupedRead } from './grouped-reads.ts'
import {
  FACTOR,
  factorIn,
  ONE_TIME_TOKEN,
  oneTimeTokenIn,
  SESSION,
  sessionIn,
  TOKEN_HOLDER,
  tokenHolderIn,
} from './joined-rows.ts'
import { postgresLogTree } from './log-tree.ts'
import type { Query } from './primary.ts'
import {
  deleteExpiredFrom,
  ERASE_ENDED_LABELS,
  FACTORS,
  KNOWN_USERS,
  NOTE_ERASED_LABELS,
  PASSWORD_SCHEMES,
  SESSIONS,
} from './statements.ts'
import { before, userList } from './user-lists.ts'
import { lockHead } from './write.ts'

/**
 * A store in a PostgreSQL database, shared by any number of instances. It uses only the schema `portcullis`.
 *
 * @param connections to a migrated database; `close` closes them
 * @param options.onKeysChanged called after a transaction that wrote signing keys
 * @param options.onCommitted called after each transaction with the number of its changes
 * @param options.expectRoom fails while the server has no room for a change
 */
export const postgresStore = (
  connections: Connections,
  {
    onKeysChanged = () => {},
    onCommitted = () => {},
    expectRoom = async () => {},
  }: Readonly<{
    onKeysChanged?: () => void
    onCommitted?: (changes: number) => void
    expectRoom?: () => Promise<void>
  }> = {},
): Store & LogTree => {
  const commits = commitsTo(connections, (changes) => {
    onCommitted(changes.length)
    if (changes.some(isOfKeys)) onKeysChanged()
  })
  let closing: Promise<void> | undefined

  /** Answers unless the store is closed. Every error means that it is unavailable. */
  const answering =
    <A>(ask: () => Promise<E.Either<StoreUnavailable, A>>): TaskEither<StoreUnavailable, A> =>
    async () => {
      if (closing !== undefined) return STORE_CLOSED
      try {
        return await ask()
      } catch (error) {
        return unavailable(reasonOf(error))
      }
    }

  const readBy =
    (query: Query) =>
    <A>(
      sql: string,
      values: ReadonlyArray<unknown>,
      decode: (rows: ReadonlyArray<Record<string, unknown>>) => E.Either<StoreUnavailable, A>,
    ): TaskEither<StoreUnavailable, A> =>
      answering(async () => decode((await query<Record<string, unknown>>(sql, values)).rows))

  /** For reads by an index, which are fast. */
  const read = readBy(connections.read)

  /** For the reads of most requests: those of one turn share a statement. */
  const point = (sql: string) => {
    const find = groupedRead(connections.read, sql)
    return <A>(
      values: ReadonlyArray<string>,
      decode: (row: Record<string, unknown> | undefined) => E.Either<StoreUnavailable, A>,
    ): TaskEither<StoreUnavailable, A> => answering(async () => decode(await find(values.map(storable))))
  }

  /**
   * In a transaction, because only that has a statement timeout in the server. Without it, an abandoned statement
   * would run on.
   */
  const readPage = readBy((sql, values) =>
    connections.transaction((query) => query(sql, values), { changesNothing: true }),
  )

  /** It is not repeated, so that it counts each deleted row. */
  const deletePage = readBy((sql, values) => connections.transaction((query) => query(sql, values)))

  /**
   * Finds the row with a key that may come from a client. Without a match, the nearest row is read and decoded all the
   * same, so that the time does not reveal which e-mails and applications exist.
   */
  const lookUp = <T extends Table>({ table, key }: UniqueKey<T>) => {
    const find = point(nearest(table, key))
    return (value: string) =>
      find([value], (row) => {
        const decoded = oneRow(table, row)
        return row?.[key] === value ? decoded : E.right(O.none)
      })
  }

  const find = {
    application: lookUp({ table: 'applications', key: 'id' }),
    userByEmail: lookUp({ table: 'users', key: 'email_key' }),
    tokenHolder: point(TOKEN_HOLDER),
    session: point(SESSION),
  }

  const probe = shared(async () => {
    await connections.transaction(
      async (query) => {
        await lockHead(query)
        await expectOpen(query)
      },
      { changesNothing: true },
    )
    await expectRoom()
    return E.right(undefined)
  })

  return {
    commit: (change) => async () => (closing === undefined ? commits.commit(change) : STORE_CLOSED),
    findApplication: find.application,
    findTokenHolder: (applicationId, tokenId) =>
      find.tokenHolder([applicationId, tokenId], (row) =>
        row === undefined || row.applications_id !== applicationId
          ? E.right(O.none)
          : pipe(tokenHolderIn(row, tokenId), E.map(O.some)),
      ),
    findUserByEmail: (email) => find.userByEmail(emailKey(email)),
    findUser: (id) =>
      read('SELECT * FROM portcullis.users WHERE id = $1', [storable(id)], ([row]) =>
        row?.id === id ? oneRow('users', row) : E.right(O.none),
      ),
    findKnownUsers: (keys) =>
      read(KNOWN_USERS, [keys.emailKeys.map(storable), keys.ids.map(storable)], (rows) =>
        E.right(
          knownAmong(keys, {
            emailKeys: rows.map(({ email_key }) => email_key),
            ids: rows.map(({ id }) => id),
          }),
        ),
      ),
    findOneTimeToken: (digest) =>
      read(ONE_TIME_TOKEN, [storable(digest)], ([row]) =>
        row === undefined || row.one_time_tokens_digest !== digest
          ? E.right(O.none)
          : pipe(oneTimeTokenIn(row), E.map(O.some)),
      ),
    findSession: (id) =>
      find.session([id], (row) =>
        row === undefined || row.sessions_id !== id ? E.right(O.none) : pipe(sessionIn(row), E.map(O.some)),
      ),
    listSessions: ({ userId, passwordVersion, sessionsVersion, expiresAfterSeconds, skip, limit }) => {
      const versions = [passwordVersion, sessionsVersion]
      const page = [expiresAfterSeconds, Math.max(0, limit), skip]
      return read(SESSIONS, [storable(userId), ...versions, ...page], (rows) =>
        manyRows(
          'sessions',
          rows.filter(({ user_id }) => user_id === userId), // `storable` may have changed the id
        ),
      )
    },
    listFactors: (userId) =>
      read(FACTORS, [storable(userId)], (rows) =>
        manyRows(
          'factors',
          rows.filter(({ user_id }) => user_id === userId), // `storable` may have changed the id
        ),
      ),
    findFactor: (id) =>
      read(FACTOR, [storable(id)], ([row]) =>
        row === undefined || row.factors_id !== id ? E.right(O.none) : pipe(factorIn(row), E.map(O.some)),
      ),
    listUsers: (query) => {
      const { sql, values } = userList(query)
      return readPage(sql, values, (rows) => manyRows('users', rows))
    },
    listPasswordSchemes: ({ after, limit }) =>
      read(PASSWORD_SCHEMES, [before(after), Math.max(0, limit)], (rows) =>
        E.right(rows.map(({ scheme }) => String(scheme))),
      ),
    listSigningKeys: () =>
      read('SELECT * FROM portcullis.keys ORDER BY created_at, id', [], (rows) => manyRows('keys', rows)),
    listRows: ({ table, after, limit }) =>
      readPage(
        `SELECT * FROM portcullis.${table} WHERE id > $1 ORDER BY id LIMIT $2`,
        [before(after), Math.max(0, limit)],
        (rows) => manyRows(table, rows),
      ),
    readEvents: ({ after, through = LAST_POSITION, limit, type }) =>
      readPage(
        `SELECT * FROM portcullis.log
         WHERE position > $1 AND position <= $2 AND ($4::text IS NULL OR type = $4) ORDER BY position LIMIT $3`,
        [after, through, Math.max(0, limit), type ?? null],
        (rows) => pipe(rows, E.traverseArray(decodeEntry), orUnreadable('the log')),
      ),
    ...postgresLogTree(connections, answering),
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
        const unknown = E.mapLeft(
          (left: StoreUnavailable): StoreUnavailable => ({ ...left, outcome: 'unknown' }),
        )
        return error instanceof OutcomeUnknown ? unknown(failed) : failed
      }
    },
    deleteExpired: ({ table, beforeSeconds, limit }) =>
      deletePage(deleteExpiredFrom(table), [beforeSeconds, Math.max(0, limit)], ([row]) => {
        const refusal = refusalOf({ copy_state: null, copy_place: null, ...row })
        return refusal === undefined ? E.right(Number(row?.deleted)) : E.left(refusal)
      }),
    eraseEndedLabels: (limit) =>
      answering(async () => {
        const atMost = Math.max(0, limit)
        return connections.transaction(async (query) => {
          const { rows } = await query<ErasedLabels>(ERASE_ENDED_LABELS, [atMost])
          const [{ users = [], labels = 0, ...copyState } = {}] = rows
          const refusal = refusalOf({ copy_state: null, copy_place: null, ...copyState })
          if (refusal !== undefined) return E.left(refusal)
          if (users.length > 0) await query(NOTE_ERASED_LABELS, [users])
          return E.right(Number(labels) === atMost || users.length === atMost)
        })
      }),
    checkWritable: () => answering(probe),
    close: async () => {
      closing ??= commits.drained().then(connections.close)
      await closing
    },
  }
}

/** Callers that ask while an answer is awaited get the same one. A stalled server then holds one connection of the pool. */
const shared = <A>(ask: () => Promise<A>): (() => Promise<A>) => {
  let underWay: Promise<A> | undefined
  return () => {
    underWay ??= ask().finally(() => {
      underWay = undefined
    })
    return underWay
  }
}

type ErasedLabels = Readonly<{ users?: ReadonlyArray<string>; labels?: unknown }>

type UniqueKey<T extends Table> = Readonly<{ table: T; key: 'id' | 'email_key' }>

const isOfKeys = ({ rows }: Change): boolean => rows.some(({ table }) => table === 'keys')

/** The largest bigint. An entry with a position beyond a safe integer is found, and its codec refuses it. */
const LAST_POSITION = 2n ** 63n - 1n

/** PostgreSQL cannot store NUL. The replacement matches no row either. */
const storable = (text: string): string => text.replaceAll('\0', '\ufffd')

const nearest = (table: Table, key: 'id' | 'email_key'): string =>
  `SELECT * FROM portcullis.${table}
   WHERE ${key} >= least($1, (SELECT max(${key}) FROM portcullis.${table})) ORDER BY ${key} LIMIT 1`
