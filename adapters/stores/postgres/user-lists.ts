import type { UserQuery } from '../../../application/ports/user-query.ts'
import { idBefore, prefixEnd } from '../records/user-prefixes.ts'

type Statement = Readonly<{ sql: string; values: ReadonlyArray<unknown> }>

/** Returns the statement of a list of users, which reads in the order of an index without removed users. */
export const userList = (query: UserQuery): Statement => {
  const { status, role, emailPrefix, namePrefix } = query
  const condition = emailPrefix ?? namePrefix ?? role
  const after = before(query.after)
  const limit = Math.max(0, query.limit)
  if (condition?.includes('\0')) return { sql: USERS, values: [after, 0] } // no row can match
  if (emailPrefix !== undefined)
    return { sql: USERS_BY_EMAIL, values: [after, limit, emailPrefix, prefixEnd(emailPrefix)] }
  if (namePrefix !== undefined) {
    // A name that ends where `after` has a NUL comes before it, with each id.
    const id = after === query.after ? before(idBefore(namePrefix, query)) : '\u{10ffff}'
    return { sql: USERS_BY_NAME, values: [after, limit, namePrefix, prefixEnd(namePrefix), id] }
  }
  if (role !== undefined) return { sql: USERS_WITH_A_ROLE, values: [after, limit, role, status ?? null] }
  return status === undefined
    ? { sql: USERS, values: [after, limit] }
    : { sql: USERS_OF_A_STATUS, values: [after, limit, status] }
}

/** PostgreSQL cannot store NUL. The part before it sorts like the whole text. */
export const before = (text: string): string => text.slice(0, `${text}\0`.indexOf('\0'))

/** Uses an index without removed users. */
const USERS = `
  SELECT * FROM portcullis.users WHERE status <> 'removed' AND id > $1 ORDER BY id LIMIT $2`

/** The second condition lets PostgreSQL use the index, which has no removed users. */
const USERS_OF_A_STATUS = `
  SELECT * FROM portcullis.users WHERE status = $3 AND status <> 'removed' AND id > $1 ORDER BY id LIMIT $2`

/** The unique index of e-mails also has the ids of removed users, which a prefix of a digit would read. */
const USERS_BY_EMAIL = `
  SELECT * FROM portcullis.users
  WHERE status <> 'removed' AND email_key >= greatest($3::text COLLATE "C", $1) AND email_key < $4 AND email_key <> $1
  ORDER BY email_key LIMIT $2`

const USERS_BY_NAME = `
  SELECT * FROM portcullis.users
  WHERE name_key <> '' AND status <> 'removed' AND (name_key, id) > (greatest($3::text COLLATE "C", $1), $5) AND name_key < $4
  ORDER BY name_key, id LIMIT $2`

/** Reads the roles of all users with any, in the index, and the rows of those who are found. */
const USERS_WITH_A_ROLE = `
  SELECT * FROM portcullis.users WHERE id IN (
    SELECT id FROM portcullis.users
    WHERE roles <> '' AND status <> 'removed' AND ($4::text IS NULL OR status = $4)
      AND strpos(' ' || roles || ' ', ' ' || $3 || ' ') > 0 AND id > $1
    ORDER BY id LIMIT $2
  ) ORDER BY id`
