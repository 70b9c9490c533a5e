import { pipe } from 'fp-ts/lib/function.js'
import { partition } from 'fp-ts/lib/ReadonlyArray.js'
import { type Change, perTable, type Table } from '../../../application/ports/store.ts'
import { emailKey } from '../../../domain/user.ts'
import { ROWS } from '../records/rows.ts'
import type { Found, FoundMail } from './conflicts.ts'
import { LOCK_MAILS } from './outbox-statements.ts'
import type { Query } from './primary.ts'

/** The order in which rows are locked and inserted. Users come last, because their e-mails are unique too. */
export const LOCK_ORDER: ReadonlyArray<Table> = pipe(
  Object.keys(ROWS) as ReadonlyArray<Table>,
  partition((table) => ROWS[table].unique !== undefined),
  ({ left, right }) => [...left, ...right],
)

/** Reads and locks the rows that the changes refer to. */
export const lockRows = async (query: Query, changes: ReadonlyArray<Change>): Promise<Found> => {
  const versions = perTable(() => new Map<string, number>())
  const emailKeys = new Map<string, string>()
  for (const { table, ids, strength } of locksOf(changes)) {
    const found =
      table === 'users' && strength === 'UPDATE'
        ? await query<FoundRow>(LOCK_USERS, [ids, emailKeysOf(changes)])
        : await query<FoundRow>(LOCK[strength][table], [ids])
    for (const { id, version, email_key } of found.rows) {
      versions[table].set(id, version)
      if (email_key !== undefined) emailKeys.set(id, email_key)
    }
  }
  const mails = await lockMails(query, changes)
  const events = changes.flatMap((change) => change.events.map(({ id }) => id))
  const known = await query<{ id: string }>('SELECT id FROM portcullis.log WHERE id = ANY ($1)', [events])
  return { eventIds: new Set(known.rows.map(({ id }) => id)), versions, emailKeys, mails }
}

/** Mails are locked last: a claim locks nothing else. */
const lockMails = async (query: Query, changes: ReadonlyArray<Change>): Promise<Found['mails']> => {
  const ids = changes.flatMap(({ mails = [], settled = [], withdrawn = [] }) => [
    ...[...mails, ...settled].map(({ id }) => id),
    ...withdrawn,
  ])
  if (ids.length === 0) return new Map()
  const { rows } = await query<FoundMail & Readonly<{ id: string }>>(LOCK_MAILS, [ids])
  return new Map(rows.map(({ id, ...mail }) => [id, mail]))
}

type FoundRow = Readonly<{ id: string; version: number; email_key?: string }>

const LOCK_USERS = `
  SELECT id, version, email_key FROM portcullis.users
  WHERE id = ANY ($1) OR email_key = ANY ($2) ORDER BY id FOR UPDATE`

type Strength = 'UPDATE' | 'SHARE'

type Lock = Readonly<{ table: Table; ids: ReadonlyArray<string>; strength: Strength }>

/** Of the rows that the changes refer to, in the order in which they are locked. */
const locksOf = (changes: ReadonlyArray<Change>): ReadonlyArray<Lock> => {
  const rows = changes.flatMap((change) => change.rows)
  const compared = changes.flatMap((change) => change.compared)
  return LOCK_ORDER.flatMap((table) => {
    const written = rows.flatMap((row) => (row.table === table ? [row.row.id] : []))
    const ids = [...written, ...compared.flatMap((row) => (row.table === table ? [row.id] : []))]
    return ids.length > 0 ? [{ table, ids, strength: written.length > 0 ? 'UPDATE' : 'SHARE' }] : []
  })
}

const emailKeysOf = (changes: ReadonlyArray<Change>): ReadonlyArray<string> =>
  changes.flatMap(({ rows }) =>
    rows.flatMap((row) => (row.table === 'users' ? [emailKey(row.row.email)] : [])),
  )

const perStrength = (sql: (table: Table, strength: Strength) => string) => ({
  UPDATE: perTable((table) => sql(table, 'UPDATE')),
  /** Several transactions may compare a row at once. None may write it meanwhile. */
  SHARE: perTable((table) => sql(table, 'SHARE')),
})

const LOCK = perStrength(
  (table, strength) =>
    `SELECT id, version FROM portcullis.${table} WHERE id = ANY ($1) ORDER BY id FOR ${strength}`,
)

/** A row that a change refers to. */
export type RowKey = `${Table} ${string}`

export const rowKeysOf = ({ rows, compared }: Change): ReadonlyArray<RowKey> => [
  ...rows.map(({ table, row }): RowKey => `${table} ${row.id}`),
  ...compared.map(({ table, id }): RowKey => `${table} ${id}`),
]

/** The rows that another transaction keeps locked, among those that the changes would lock. Waits for none of them. */
export const heldRows = async (
  query: Query,
  changes: ReadonlyArray<Change>,
): Promise<ReadonlyArray<RowKey>> => {
  const held: Array<RowKey> = []
  for (const { table, ids, strength } of locksOf(changes)) {
    const { rows } = await query<{ id: string }>(HELD[strength][table], [ids])
    held.push(...rows.map(({ id }): RowKey => `${table} ${id}`))
  }
  return held
}

const HELD = perStrength(
  (table, strength) => `
  WITH free AS MATERIALIZED (
    SELECT id FROM portcullis.${table} WHERE id = ANY ($1) FOR ${strength} SKIP LOCKED)
  SELECT id FROM portcullis.${table} WHERE id = ANY ($1) AND id NOT IN (SELECT id FROM free)`,
)
