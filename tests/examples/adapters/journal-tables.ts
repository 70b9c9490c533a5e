import { exists, fromNullable, isNone, none, type Option } from 'fp-ts/lib/Option.js'
import {
  type Application,
  type Conflict,
  type EmailTaken,
  emailKey,
  nameKeyOf,
  type Row,
  type RowOf,
  type Session,
  type SigningKey,
  type StoreUnavailable,
  type Table,
  type User,
  type UserQuery,
} from 'portcullis'

/** The tables of the journal: what they accept, and what is found in them. */
export type Tables = { readonly [Name in Table]: Map<string, RowOf<Name>> }
export type Deleted = Readonly<{ table: Table; ids: ReadonlyArray<string> }>
export type Refusal = Conflict | EmailTaken | StoreUnavailable

/** The application that opened a session, if it exists. */
export const openerOf = ({ applications }: Tables, { applicationId }: Session): Option<Application> =>
  fromNullable(applications.get(applicationId))

export const isAlive = exists(({ revoked }: Application) => !revoked)

export const copyOf = (tables: Tables) =>
  Object.fromEntries(
    Object.entries(tables).map(([name, rows]) => [name, new Map<string, unknown>(rows)]),
  ) as Tables

export const without = (tables: Tables, { table, ids }: Deleted): Tables => {
  const next = copyOf(tables)
  for (const id of ids) next[table].delete(id)
  return next
}

/** The first rows with an id above `after`. */
export const pageOf = <R extends Readonly<{ id: string }>>(
  rows: ReadonlyMap<string, R>,
  { after, limit }: Readonly<{ after: string; limit: number }>,
): ReadonlyArray<R> =>
  [...rows.values()]
    .filter((row) => byCodePoint(row.id, after) > 0)
    .sort((one, other) => byCodePoint(one.id, other.id))
    .slice(0, Math.max(0, limit))

export const searched = (users: ReadonlyArray<User>, query: UserQuery): ReadonlyArray<User> => {
  const { status, role, emailPrefix, namePrefix, after, afterId = '', limit } = query
  const keyOf = ({ id, email, attributes }: User): string => {
    if (emailPrefix !== undefined) return emailKey(email)
    return namePrefix === undefined ? id : nameKeyOf(attributes)
  }
  const order = (one: User, other: User) =>
    byCodePoint(keyOf(one), keyOf(other)) || byCodePoint(one.id, other.id)
  const isBehind = (user: User) =>
    namePrefix !== undefined && nameKeyOf(user.attributes) === after
      ? byCodePoint(user.id, afterId) > 0
      : byCodePoint(keyOf(user), after) > 0
  return users
    .filter((user) => user.status !== 'removed' && user.status === (status ?? user.status))
    .filter((user) => role === undefined || user.roles.includes(role))
    .filter((user) => keyOf(user).startsWith(emailPrefix ?? namePrefix ?? '') && isBehind(user))
    .sort(order)
    .slice(0, Math.max(0, limit))
}

export const put = (tables: Tables, { table, row }: Row): void => {
  const rows: Map<string, Row['row']> = tables[table]
  rows.set(row.id, row)
}

/** Sessions that a change of their user has ended. Their labels are personal. */
export const withEndedLabels = ({ sessions, users }: Tables): ReadonlyArray<Session> =>
  [...sessions.values()].filter(({ label, ...session }) => {
    const user = users.get(session.userId)
    if (isNone(label) || user === undefined) return false
    const { passwordVersion, sessionsVersion } = user
    return session.passwordVersion !== passwordVersion || session.sessionsVersion !== sessionsVersion
  })

export const unlabelled = (tables: Tables, ids: ReadonlyArray<string>): Tables => {
  const next = copyOf(tables)
  for (const id of ids) {
    const session = next.sessions.get(id)
    if (session !== undefined) next.sessions.set(id, { ...session, label: none })
  }
  return next
}

export const refusal = (tables: Tables, { table, row }: Row): Conflict | EmailTaken | undefined => {
  if (row.version !== (tables[table].get(row.id)?.version ?? 0) + 1) return CONFLICT
  const holder = table === 'users' ? holderOf(tables, row.email) : undefined
  return holder === undefined || holder.id === row.id ? undefined : { _tag: 'EmailTaken' }
}

export const holderOf = ({ users }: Tables, email: string): RowOf<'users'> | undefined =>
  [...users.values()].find((user) => emailKey(user.email) === emailKey(email))

export const oldestFirst = (one: SigningKey, other: SigningKey) =>
  one.createdAtSeconds - other.createdAtSeconds

export const CONFLICT: Conflict = { _tag: 'Conflict' }
export const unavailable = (reason: string): StoreUnavailable => ({ _tag: 'StoreUnavailable', reason })

/** Orders strings like their UTF-8 bytes. `<` orders by UTF-16 code units. */
export const byCodePoint = (one: string, other: string): number =>
  Buffer.compare(Buffer.from(one), Buffer.from(other))
