import * as E from 'fp-ts/lib/Either.js'
import { pipe } from 'fp-ts/lib/function.js'
import * as O from 'fp-ts/lib/Option.js'
import type { TaskEither } from 'fp-ts/lib/TaskEither.js'
import type { LogTree } from '../../../application/ports/log-tree.ts'
import type {
  Change,
  Conflict,
  EmailTaken,
  EndedEpoch,
  ExpiredQuery,
  NewEntry,
  Row,
  Store,
  StoreUnavailable,
  Table,
} from '../../../application/ports/store.ts'
import type { Application } from '../../../domain/application.ts'
import { emailKey } from '../../../domain/user.ts'
import { decodeEntry, encodeEntry } from '../records/log-entry.ts'
import { automaticRenewal } from '../records/renewal.ts'
import { type Columns, encodeRow, ROWS } from '../records/rows.ts'
import { manyRows, oneRow, orUnreadable, STORE_CLOSED, unavailable } from '../records/unavailable.ts'
import { index, lastPosition, type Memory, newEpoch, newMemory, refusalIn, sessionIdsIn } from './contents.ts'
import { rowsIn } from './joined-rows.ts'
import { memoryLogTree } from './log-tree.ts'
import { byCodePoint, byId, idsAfter, idsExpired, lastingFirst, oldestFirst } from './order.ts'
import { lostMail, writeMails } from './outbox.ts'
import { listedUsers } from './user-lists.ts'

/**
 * A store in the memory of the process, with the behaviour of the others. It is for tests, and for services whose data
 * may be lost at their end.
 */
export const memoryStore = (): Store & LogTree => storeIn(newMemory())

/** The store that keeps everything there. */
export const storeIn = (memory: Memory): Store & LogTree => {
  const { log, tables, entryIds, userIdsByEmail, tokenIdsByDigest } = memory

  const unlessClosed =
    <E, A>(work: () => E.Either<E, A>): TaskEither<E | StoreUnavailable, A> =>
    async () =>
      memory.isClosed ? STORE_CLOSED : work()

  const writing = <E, A>(work: () => E.Either<E, A>): TaskEither<E | StoreUnavailable, A> =>
    unlessClosed(() => {
      const refused = refusalIn(memory)
      return refused === undefined ? work() : E.left<E | StoreUnavailable>(refused)
    })

  const commit = (change: Change): E.Either<Conflict | EmailTaken | StoreUnavailable, void> => {
    if (entryIds.has(change.id)) return E.right(undefined)
    const ids = new Set(change.events.map(({ id }) => id))
    if (ids.size < change.events.length || [...ids].some((id) => entryIds.has(id)))
      return unavailable('the log already contains an event of this change')
    if (change.compared.some(({ table, id, version }) => versionOf(table, id) !== version))
      return E.left({ _tag: 'Conflict' })
    const lost = lostMail(memory, change)
    if (lost !== undefined) return E.left(lost)
    const undo: Array<() => void> = []
    for (const written of change.rows) {
      const refused = refusal(written)
      if (refused !== undefined) {
        for (const back of undo.reverse()) back()
        return E.left(refused)
      }
      undo.push(write(written))
    }
    writeMails(memory, change)
    if (memory.isCopy) renew(automaticRenewal(change))
    for (const entry of change.events) {
      log.push(encodeEntry(entry, lastPosition(log) + 1))
      entryIds.add(entry.id)
    }
    return E.right(undefined)
  }

  /** Appends the entry of a renewal, and begins a new epoch. */
  const renew = (entryOf: (ended: EndedEpoch) => NewEntry): string => {
    const entry = entryOf({ epoch: memory.epoch, size: lastPosition(log) })
    log.push(encodeEntry(entry, lastPosition(log) + 1))
    entryIds.add(entry.id)
    memory.epoch = newEpoch()
    memory.isCopy = false
    if (memory.copyState.state !== 'open') memory.copyState = { state: 'open', copyId: undefined }
    return memory.epoch
  }

  /** Writes a row, and returns a function that undoes it. */
  const write = (written: Row): (() => void) => {
    const { table, row } = written
    const before = tables[table].get(row.id)
    tables[table].set(row.id, encodeRow(written))
    // An undone session or token stays in its index, and is not found in its table.
    index(memory, written)
    if (table !== 'users') return () => restore(tables[table], row.id, before)
    const oldKey = String(before?.email_key)
    const key = emailKey(row.email)
    if (oldKey !== key) userIdsByEmail.delete(oldKey)
    return () => {
      restore(tables[table], row.id, before)
      userIdsByEmail.delete(key)
      if (before !== undefined) userIdsByEmail.set(oldKey, row.id)
    }
  }

  const eraseEndedLabels = (limit: number): boolean => {
    let left = Math.max(0, limit)
    for (const userId of memory.changedUserIds) {
      const user = tables.users.get(userId)
      for (const sessionId of sessionIdsOf(userId)) {
        const session = tables.sessions.get(sessionId)
        if (session === undefined || session.label === null || hasVersionsOf(user)(session)) continue
        if (left === 0) return true
        tables.sessions.set(sessionId, { ...session, label: null })
        left -= 1
      }
      memory.changedUserIds.delete(userId)
    }
    return false
  }

  const sessionIdsOf = (userId: string): Set<string> => sessionIdsIn(memory, userId)

  const versionOf = (table: Table, id: string): number => Number(tables[table].get(id)?.version ?? 0)

  const refusal = ({ table, row }: Row): Conflict | EmailTaken | undefined => {
    if (row.version !== versionOf(table, row.id) + 1) return { _tag: 'Conflict' }
    if (table !== 'users') return undefined
    const holder = userIdsByEmail.get(emailKey(row.email))
    return holder === undefined || holder === row.id ? undefined : { _tag: 'EmailTaken' }
  }

  const { application, user, session, oneTimeToken, factor } = rowsIn(memory)

  const deleteExpired = ({ table, beforeSeconds, limit }: ExpiredQuery): number => {
    const expired = idsExpired(ROWS[table].expiry, beforeSeconds, limit)(tables[table])
    for (const id of expired) {
      if (table === 'sessions') sessionIdsOf(String(tables.sessions.get(id)?.user_id)).delete(id)
      if (table === 'one_time_tokens') tokenIdsByDigest.delete(String(tables.one_time_tokens.get(id)?.digest))
      tables[table].delete(id)
    }
    return expired.length
  }

  const tokenHolder = (applicationId: string, tokenId: string) =>
    pipe(
      E.Do,
      E.apS('application', application(applicationId)),
      E.apS('revocation', oneRow('revoked_tokens', tables.revoked_tokens.get(tokenId))),
      E.map(({ application, revocation }) =>
        O.map((found: Application) => ({ application: found, revocation }))(application),
      ),
    )

  return {
    commit: (change) => writing(() => commit(change)),
    findApplication: (id) => unlessClosed(() => application(id)),
    findTokenHolder: (applicationId, tokenId) => unlessClosed(() => tokenHolder(applicationId, tokenId)),
    findUserByEmail: (email) =>
      unlessClosed(() => oneRow('users', tables.users.get(userIdsByEmail.get(emailKey(email)) ?? ''))),
    findUser: (id) => unlessClosed(() => user(id)),
    findKnownUsers: ({ emailKeys, ids }) =>
      unlessClosed(() =>
        E.right({
          emailKeys: emailKeys.filter((key) => userIdsByEmail.has(key)),
          ids: ids.filter((id) => tables.users.has(id)),
        }),
      ),
    findOneTimeToken: (digest) => unlessClosed(() => oneTimeToken(digest)),
    findSession: (id) => unlessClosed(() => session(id)),
    listSessions: ({ userId, passwordVersion, sessionsVersion, expiresAfterSeconds, skip, limit }) =>
      unlessClosed(() =>
        pipe(
          [...(memory.sessionIdsByUser.get(userId) ?? [])]
            .map((id) => tables.sessions.get(id))
            .filter(
              (row): row is Columns =>
                row?.user_id === userId &&
                row.password_version === passwordVersion &&
                row.sessions_version === sessionsVersion &&
                row.signed_out === 0 &&
                tables.applications.get(String(row.application_id))?.revoked === 0 &&
                Number(row.expires_at) > expiresAfterSeconds,
            ),
          (rows) => manyRows('sessions', rows),
          E.map((sessions) => [...sessions].sort(lastingFirst).slice(skip, skip + Math.max(0, limit))),
        ),
      ),
    listFactors: (userId) =>
      unlessClosed(() =>
        manyRows(
          'factors',
          [...(memory.factorIdsByUser.get(userId) ?? [])]
            .map((id) => tables.factors.get(id))
            .filter((row): row is Columns => row?.user_id === userId && row.removed === 0)
            .sort(byId),
        ),
      ),
    findFactor: (id) => unlessClosed(() => factor(id)),
    listUsers: (query) => unlessClosed(() => manyRows('users', listedUsers(tables.users, query))),
    listPasswordSchemes: ({ after, limit }) =>
      unlessClosed(() => {
        const schemes = new Set([...tables.users.values()].map((row) => String(row.password_scheme)))
        schemes.delete('')
        return E.right(
          [...schemes]
            .filter((scheme) => byCodePoint(scheme, after) > 0)
            .sort(byCodePoint)
            .slice(0, Math.max(0, limit)),
        )
      }),
    listSigningKeys: () =>
      unlessClosed(() =>
        pipe(
          manyRows('keys', [...tables.keys.values()]),
          E.map((keys) => [...keys].sort(oldestFirst)),
        ),
      ),
    listRows: ({ table, after, limit }) =>
      unlessClosed(() =>
        manyRows(
          table,
          idsAfter(after, limit)(tables[table]).map((id) => tables[table].get(id)),
        ),
      ),
    readEvents: ({ after, through = Number.MAX_SAFE_INTEGER, limit, type }) =>
      unlessClosed(() =>
        pipe(
          log
            .filter(({ position }) => position > after && position <= through)
            .filter((entry) => type === undefined || entry.type === type)
            .slice(0, Math.max(0, limit)),
          E.traverseArray(decodeEntry),
          orUnreadable('the log'),
        ),
      ),
    readEpoch: () => unlessClosed(() => E.right(memory.epoch)),
    renewEpoch: (entryOf) =>
      unlessClosed(() => {
        const { copyState, epoch } = memory
        const refused = copyState.state === 'moved' ? undefined : refusalIn(memory)
        if (refused !== undefined) return E.left(refused)
        const entry = entryOf({ epoch, size: lastPosition(log) })
        if (entryIds.has(entry.id)) return unavailable('the log already contains an event of this change')
        return E.right(renew(() => entry))
      }),
    ...memoryLogTree(memory, unlessClosed, writing),
    deleteExpired: (query) => writing(() => E.right(deleteExpired(query))),
    eraseEndedLabels: (limit) => writing(() => E.right(eraseEndedLabels(limit))),
    checkWritable: () => writing(() => E.right(undefined)),
    close: async () => {
      memory.isClosed = true
    },
  }
}

const hasVersionsOf =
  (user: Columns | undefined) =>
  (session: Columns): boolean =>
    session.password_version === user?.password_version && session.sessions_version === user?.sessions_version

const restore = <Key, Value>(map: Map<Key, Value>, key: Key, before: Value | undefined): void => {
  if (before === undefined) map.delete(key)
  else map.set(key, before)
}
