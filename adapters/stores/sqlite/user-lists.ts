import type Database from 'better-sqlite3'
import type { UserQuery } from '../../../application/ports/user-query.ts'
import type { Columns } from '../records/rows.ts'
import { idBefore, prefixEnd } from '../records/user-prefixes.ts'

/** Returns the function that reads the rows of a list of users. Each statement reads in the order of an index without removed users. */
export const userLister = (db: Database.Database) => {
  const users = db.prepare<[Page], Columns>(USERS)
  const ofStatus = db.prepare<[Page & { status: string }], Columns>(USERS_OF_A_STATUS)
  const ofRole = db.prepare<[Page & { role: string; status: string | null }], Columns>(USERS_WITH_A_ROLE)
  const byEmail = db.prepare<[Page & Range], Columns>(USERS_BY_EMAIL)
  const byName = db.prepare<[Page & Range & { idBefore: string }], Columns>(USERS_BY_NAME)
  return (query: UserQuery): ReadonlyArray<Columns> => {
    const { status, role, emailPrefix, namePrefix, after } = query
    const page = { after, limit: Math.max(0, query.limit) }
    if (emailPrefix !== undefined) return byEmail.all({ ...page, ...rangeOf(emailPrefix) })
    if (namePrefix !== undefined)
      return byName.all({ ...page, ...rangeOf(namePrefix), idBefore: idBefore(namePrefix, query) })
    if (role !== undefined) return ofRole.all({ ...page, role, status: status ?? null })
    return status === undefined ? users.all(page) : ofStatus.all({ ...page, status })
  }
}

type Page = Readonly<{ after: string; limit: number }>
type Range = Readonly<{ prefix: string; end: string }>

const rangeOf = (prefix: string): Range => ({ prefix, end: prefixEnd(prefix) })

/** The second condition lets SQLite use the index, which has no removed users. */
export const USERS_OF_A_STATUS =
  "SELECT * FROM users WHERE status = @status AND status <> 'removed' AND id > @after ORDER BY id LIMIT @limit"

/** Merges the enabled and the disabled users, each in the order of the same index. */
export const USERS = `
  SELECT * FROM users WHERE status = 'enabled' AND status <> 'removed' AND id > @after
  UNION ALL SELECT * FROM users WHERE status = 'disabled' AND status <> 'removed' AND id > @after
  ORDER BY id LIMIT @limit`

/** The unique index of e-mails also has the ids of removed users, which a prefix of a digit would read. */
export const USERS_BY_EMAIL = `
  SELECT * FROM users INDEXED BY users_by_email
  WHERE status <> 'removed' AND email_key >= max(@prefix, @after) AND email_key < @end AND email_key <> @after
  ORDER BY email_key LIMIT @limit`

export const USERS_BY_NAME = `
  SELECT * FROM users INDEXED BY users_by_name
  WHERE name_key <> '' AND status <> 'removed' AND (name_key, id) > (max(@prefix, @after), @idBefore) AND name_key < @end
  ORDER BY name_key, id LIMIT @limit`

/** Reads the roles of all users with any, in the index, and the rows of those who are found. */
export const USERS_WITH_A_ROLE = `
  SELECT * FROM users WHERE id IN (
    SELECT id FROM users INDEXED BY users_with_roles
    WHERE roles <> '' AND status <> 'removed' AND (@status IS NULL OR status = @status)
      AND instr(' ' || roles || ' ', ' ' || @role || ' ') > 0 AND id > @after
    ORDER BY id LIMIT @limit
  ) ORDER BY id`
