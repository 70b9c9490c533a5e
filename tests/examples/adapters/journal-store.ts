import { randomBytes } from 'node:crypto'
import { open } from 'node:fs/promises'
import { dirname } from 'node:path'
import { type Either, left, right } from 'fp-ts/lib/Either.js'
import { fromNullable, none, some } from 'fp-ts/lib/Option.js'
import type { TaskEither } from 'fp-ts/lib/TaskEither.js'
import {
  type Change,
  type EndedEpoch,
  type ExpiredQuery,
  emailKey,
  type LogEntry,
  type NewEntry,
  type Store,
  type StoreUnavailable,
  withoutEndedLabel,
} from 'portcullis'
import {
  byCodePoint,
  CONFLICT,
  copyOf,
  type Deleted,
  holderOf,
  isAlive,
  oldestFirst,
  openerOf,
  pageOf,
  put,
  type Refusal,
  refusal,
  searched,
  type Tables,
  unavailable,
  unlabelled,
  withEndedLabels,
  without,
} from './journal-tables.ts'

/**
 * A store in one file: a journal with one JSON line per change, read on opening and then kept in memory.
 * For a few thousand users, because each change copies the tables, and for one process at a time, which it does not enforce.
 * After a failed write it accepts no changes until it is reopened, because only the file shows what was written.
 *
 * @throws Error when the file cannot be read or was not written by this store
 */
export const journalStore = async (path: string): Promise<Store> => {
  const file = await open(path, 'a+', 0o600)
  const log: Array<LogEntry> = []
  const logged = new Set<string>()
  let tables: Tables = {
    applications: new Map(),
    users: new Map(),
    sessions: new Map(),
    keys: new Map(),
    revoked_tokens: new Map(),
    one_time_tokens: new Map(),
    factors: new Map(),
  }
  let epoch = newEpoch()
  let size = 0 // of the valid lines, in bytes
  let isSure = true // that the file matches the tables
  let last: Promise<unknown> = Promise.resolve()
  let closing: Promise<void> | undefined

  /** The tables after the change, or the reason to refuse it. */
  const judged = ({ events, compared, rows }: Change): Tables | Refusal => {
    const ids = new Set(events.map(({ id }) => id))
    if (ids.size < events.length || events.some(({ id }) => logged.has(id)))
      return unavailable('the log already contains an event of this change')
    if (!compared.every(({ table, id, version }) => tables[table].get(id)?.version === version))
      return CONFLICT
    const next = copyOf(tables)
    for (const written of rows) {
      const refused = refusal(next, written)
      if (refused !== undefined) return refused
      put(next, written)
    }
    return next
  }

  const append = (events: ReadonlyArray<NewEntry>): void => {
    for (const event of events) {
      log.push({ ...event, position: log.length + 1 })
      logged.add(event.id)
    }
  }

  /** Resolves with whether the change is on the disk and would survive a crash. */
  const isWritten = async (line: Line): Promise<boolean> => {
    const text = `${JSON.stringify(line)}\n`
    try {
      await file.appendFile(text)
      await file.datasync()
    } catch {
      isSure = false
      return false
    }
    size += Buffer.byteLength(text)
    return true
  }

  /** Runs one at a time, because each change is checked against the result of the one before. */
  const commit = async (change: Change): Promise<Either<Refusal, void>> => {
    if (!isSure) return left(UNSURE)
    if (logged.has(change.id)) return right(undefined)
    const own: Change = JSON.parse(JSON.stringify(change)) // the caller may alter its change afterwards
    const next = judged(own)
    if ('_tag' in next) return left(next)
    if (!(await isWritten({ change: own }))) return left(UNSURE)
    tables = next
    append(own.events)
    return right(undefined)
  }

  const renewEpoch = async (
    entryOf: (ended: EndedEpoch) => NewEntry,
  ): Promise<Either<StoreUnavailable, string>> => {
    if (!isSure) return left(UNSURE)
    const entry = entryOf({ epoch, size: log.length })
    if (logged.has(entry.id)) return left(unavailable('the log already contains an event of this change'))
    const next = newEpoch()
    if (!(await isWritten({ epoch: next, entry }))) return left(UNSURE)
    epoch = next
    append([entry])
    return right(next)
  }

  const deleteExpired = async (query: ExpiredQuery): Promise<Either<StoreUnavailable, number>> => {
    const { table, beforeSeconds, limit } = query
    if (!isSure) return left(UNSURE)
    const rows: ReadonlyArray<Readonly<{ id: string; expiresAtSeconds: number }>> = [
      ...tables[table].values(),
    ]
    const ids = rows
      .filter((row) => row.expiresAtSeconds < beforeSeconds)
      .sort((one, other) => one.expiresAtSeconds - other.expiresAtSeconds || byCodePoint(one.id, other.id))
      .slice(0, Math.max(0, limit))
      .map(({ id }) => id)
    if (ids.length > 0 && !(await isWritten({ deleted: { table, ids } }))) return left(UNSURE)
    tables = without(tables, { table, ids })
    return right(ids.length)
  }

  const eraseEndedLabels = async (limit: number): Promise<Either<StoreUnavailable, boolean>> => {
    if (!isSure) return left(UNSURE)
    const ended = withEndedLabels(tables).map(({ id }) => id)
    const erased = ended.slice(0, Math.max(0, limit))
    if (erased.length > 0 && !(await isWritten({ erased }))) return left(UNSURE)
    tables = unlabelled(tables, erased)
    return right(erased.length < ended.length)
  }

  const unlessClosed =
    <Found>(read: () => Found): TaskEither<StoreUnavailable, Found> =>
    async () =>
      closing === undefined ? right(structuredClone(read())) : left(CLOSED) // the caller may alter its answer

  const inTurn =
    <E, A>(work: () => Promise<Either<E, A>>): TaskEither<E | StoreUnavailable, A> =>
    () => {
      if (closing !== undefined) return Promise.resolve(left(CLOSED))
      const outcome = last.then(work)
      last = outcome
      return outcome
    }

  // An incomplete last line belongs to a change that was never confirmed: the process or the machine crashed.
  const replay = async (): Promise<void> => {
    for (const line of (await file.readFile('utf8')).split('\n').slice(0, -1)) {
      const { change, deleted, erased, entry, ...renewed }: Line = JSON.parse(line)
      const there = deleted === undefined ? tables : without(tables, deleted)
      const kept = erased === undefined ? there : unlabelled(there, erased)
      const next = change === undefined ? kept : judged(change)
      if ('_tag' in next) throw new Error(`${path} is damaged`)
      tables = next
      append([...(change?.events ?? []), ...(entry === undefined ? [] : [entry])])
      epoch = renewed.epoch ?? epoch
      size += Buffer.byteLength(`${line}\n`)
    }
  }

  await replay().catch(async (error) => {
    await file.close()
    throw error
  })
  await file.truncate(size)
  if (size === 0) await isWritten({ epoch })
  await file.datasync()
  const folder = await open(dirname(path))
  await folder.sync() // the name of a new file must survive, too
  await folder.close()

  return {
    commit: (change) => inTurn(() => commit(change)),
    renewEpoch: (entryOf) => inTurn(() => renewEpoch(entryOf)),
    readEpoch: () => unlessClosed(() => epoch),
    findApplication: (id) => unlessClosed(() => fromNullable(tables.applications.get(id))),
    findTokenHolder: (applicationId, tokenId) =>
      unlessClosed(() => {
        const application = tables.applications.get(applicationId)
        const revocation = fromNullable(tables.revoked_tokens.get(tokenId))
        return application === undefined ? none : some({ application, revocation })
      }),
    findUserByEmail: (email) => unlessClosed(() => fromNullable(holderOf(tables, email))),
    findUser: (id) => unlessClosed(() => fromNullable(tables.users.get(id))),
    findKnownUsers: ({ emailKeys, ids }) =>
      unlessClosed(() => {
        const taken = new Set([...tables.users.values()].map(({ email }) => emailKey(email)))
        const known = ids.filter((id) => tables.users.has(id))
        return { emailKeys: emailKeys.filter((key) => taken.has(key)), ids: known }
      }),
    findOneTimeToken: (digest) =>
      unlessClosed(() => {
        const token = [...tables.one_time_tokens.values()].find((one) => one.digest === digest)
        const user = tables.users.get(token?.userId ?? '')
        const application = tables.applications.get(token?.applicationId ?? '')
        return token === undefined || user === undefined || application === undefined
          ? none
          : some({ token, user, application })
      }),
    findSession: (id) =>
      unlessClosed(() => {
        const session = tables.sessions.get(id)
        const user = tables.users.get(session?.userId ?? '')
        return session === undefined || user === undefined
          ? none
          : some(withoutEndedLabel({ session, user, application: openerOf(tables, session) }))
      }),
    listSessions: ({ userId, passwordVersion, sessionsVersion, expiresAfterSeconds, skip, limit }) =>
      unlessClosed(() =>
        [...tables.sessions.values()]
          .filter((session) => session.userId === userId && session.passwordVersion === passwordVersion)
          .filter((session) => session.sessionsVersion === sessionsVersion)
          .filter((session) => !session.signedOut && session.expiresAtSeconds > expiresAfterSeconds)
          .filter((session) => isAlive(openerOf(tables, session)))
          .sort(
            (one, other) => other.expiresAtSeconds - one.expiresAtSeconds || byCodePoint(other.id, one.id),
          )
          .slice(skip, skip + Math.max(0, limit)),
      ),
    listFactors: (userId) =>
      unlessClosed(() =>
        [...tables.factors.values()]
          .filter((factor) => factor.userId === userId && !factor.removed)
          .sort((one, other) => byCodePoint(one.id, other.id)),
      ),
    findFactor: (id) =>
      unlessClosed(() => {
        const factor = tables.factors.get(id)
        const user = tables.users.get(factor?.userId ?? '')
        return factor === undefined || user === undefined ? none : some({ factor, user })
      }),
    listUsers: (query) => unlessClosed(() => searched([...tables.users.values()], query)),
    listPasswordSchemes: ({ after, limit }) =>
      unlessClosed(() => {
        const schemes = new Set([...tables.users.values()].map(({ passwordScheme }) => passwordScheme))
        schemes.delete('')
        return [...schemes]
          .filter((scheme) => byCodePoint(scheme, after) > 0)
          .sort(byCodePoint)
          .slice(0, Math.max(0, limit))
      }),
    listSigningKeys: () => unlessClosed(() => [...tables.keys.values()].sort(oldestFirst)),
    listRows: ({ table, ...query }) => unlessClosed(() => pageOf(tables[table], query)),
    readEvents: ({ after, through = Number.MAX_SAFE_INTEGER, limit, type }) =>
      unlessClosed(() =>
        log
          .filter(({ position }) => position > after && position <= through)
          .filter((entry) => type === undefined || entry.type === type)
          .slice(0, Math.max(0, limit)),
      ),
    deleteExpired: (query) => inTurn(() => deleteExpired(query)),
    eraseEndedLabels: (limit) => inTurn(() => eraseEndedLabels(limit)),
    checkWritable: () => unlessClosed(() => undefined),
    close: () => {
      closing ??= last.then(() => file.close()).catch(() => undefined)
      return closing
    },
  }
}

/** A line: a change, deleted rows, or an epoch with the entry of its renewal, which the first epoch lacks. */
type Line = Readonly<{
  change?: Change
  deleted?: Deleted
  erased?: ReadonlyArray<string>
  epoch?: string
  entry?: NewEntry
}>

const newEpoch = (): string => randomBytes(4).toString('hex')

const CLOSED = unavailable('the store is closed')
const UNSURE: StoreUnavailable = { ...unavailable('the journal must be reopened'), outcome: 'unknown' }
