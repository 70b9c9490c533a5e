import Database from 'better-sqlite3'

/**
 * Fills the SQLite file of a stopped service: `node fill-store.js FILE USERS`. Each user is a copy of the first one with
 * another id and e-mail, registered by one more entry of the log. So all have the same password, and `portcullis doctor`
 * finds nothing wrong.
 */
const [, , path = '', wanted = '0'] = process.argv
const db = new Database(path)
db.pragma('journal_mode = OFF')
db.pragma('synchronous = OFF')

type Columns = Readonly<Record<string, string | number | null>>
const one = (sql: string): Columns => db.prepare<[], Columns>(sql).get() ?? {}

/** Inserts copies of a row. The SQL of `changed` may use `i`, the number of the copy. */
const insertCopies = (table: string, row: Columns, changed: Readonly<Record<string, string>>): void => {
  const names = Object.keys(row)
  const values = names.map((name) => changed[name] ?? `@${name}`)
  db.prepare(
    `INSERT INTO ${table} (${names.join(', ')})
     WITH RECURSIVE n (i) AS (SELECT ${count} + 1 UNION ALL SELECT i + 1 FROM n WHERE i < ${wanted})
     SELECT ${values.join(', ')} FROM n`,
  ).run(Object.fromEntries(Object.entries(row).filter(([name]) => changed[name] === undefined)))
}

const count = Number(one('SELECT count(*) AS count FROM users').count)
const last = Number(one('SELECT max(position) AS last FROM log').last)
const user = one('SELECT * FROM users ORDER BY created_at, id LIMIT 1')
const entry = one("SELECT * FROM log WHERE type = 'UserRegistered' ORDER BY position LIMIT 1")

/** Shaped like a UUIDv7, and in the order of `i`. */
const ID = (kind: number) => `printf('01900000-000${kind}-7000-8000-%012x', i)`
db.exec('BEGIN')
insertCopies('log', entry, { position: `${last - count} + i`, id: ID(1), subject_id: ID(2) })
insertCopies('users', user, {
  id: ID(2),
  email: "'user-' || i || '@example.com'",
  email_key: "'user-' || i || '@example.com'",
})
db.exec('COMMIT')
db.close()
