import { randomBytes } from 'node:crypto'
import Database from 'better-sqlite3'

/**
 * Adds entries of the last two days to the SQLite file of a stopped service: `node fill-log.js FILE ENTRIES APPLICATIONS`. They are
 * sign-ins, refusals and tokens of its users and of copies of its first application. The first user has one sign-in of seven, and the
 * first application has half of all. `portcullis doctor` finds nothing wrong.
 */
const [, , path = '', wanted = '0', applications = '1'] = process.argv
const db = new Database(path)
db.pragma('journal_mode = OFF')
db.pragma('synchronous = OFF')

type Columns = Readonly<Record<string, string | number | null>>
const all = (sql: string) => db.prepare<[], Columns>(sql).all()
const insert = (table: string, row: Columns): void => void inserted(table, Object.keys(row)).run(row)

const statements = new Map<string, Database.Statement>()
const inserted = (table: string, names: ReadonlyArray<string>): Database.Statement => {
  const known = statements.get(table)
  if (known !== undefined) return known
  const sql = `INSERT INTO ${table} (${names.join(', ')}) VALUES (${names.map((name) => `@${name}`).join(', ')})`
  const made = db.prepare(sql)
  statements.set(table, made)
  return made
}

/** A UUIDv7 of a time. */
const idAt = (at: number): string => {
  const text = at.toString(16).padStart(12, '0') + randomBytes(10).toString('hex')
  return `${text.slice(0, 8)}-${text.slice(8, 12)}-7${text.slice(13, 16)}-8${text.slice(17, 20)}-${text.slice(20, 32)}`
}

const iso = (at: number): string => new Date(at).toISOString()
const secondOf = (at: number): number => Math.floor(at / 1000)

const users = db.prepare<[], string>('SELECT id FROM users ORDER BY created_at, id').pluck().all()
const [application] = all('SELECT * FROM applications ORDER BY id LIMIT 1')
const [registration] = all("SELECT * FROM log WHERE type = 'ApplicationRegistered' ORDER BY position LIMIT 1")
if (application === undefined || registration === undefined) throw new Error(`${path} has no application.`)
let position = db.prepare<[], number>('SELECT max(position) FROM log').pluck().get() ?? 0

type Entry = Readonly<{ type: string; version: number; data: object; userId?: string; isOfService?: boolean }>

const log = (at: number, applicationId: string, { type, version, data, userId, isOfService }: Entry) => {
  position += 1
  const kind = isOfService ? 'service' : userId === undefined ? 'application' : 'user'
  insert('log', {
    position,
    id: idAt(at),
    type,
    version,
    at: iso(at),
    subject_kind: kind,
    subject_id: isOfService ? 'portcullis' : (userId ?? applicationId),
    actor_kind: type === 'RefusalsSummarized' ? 'nobody' : 'application',
    actor_id: type === 'RefusalsSummarized' ? null : applicationId,
    request_id: idAt(at),
    data: JSON.stringify(data),
  })
}

const END = Date.now()
const BEGIN = END - 48 * 3_600_000
const LIFETIME_MS = 12 * 3_600_000

db.exec('BEGIN')
// The entries so far come before the new ones.
const guard = db.prepare("SELECT sql FROM sqlite_schema WHERE name = 'log_no_update'").pluck().get()
db.exec(`DROP TRIGGER log_no_update; UPDATE log SET at = '${iso(BEGIN)}'; ${guard};
  UPDATE users SET created_at = ${secondOf(BEGIN)}`)

const applicationIds = [String(application.id)]
while (applicationIds.length < Number(applications)) {
  const [id, keyId, name] = [idAt(BEGIN), idAt(BEGIN), `application-${applicationIds.length}`]
  insert('applications', { ...application, id, name, key_id: keyId })
  position += 1
  insert('log', {
    ...registration,
    position,
    id: idAt(BEGIN),
    at: iso(BEGIN),
    subject_id: id,
    data: JSON.stringify({ ...JSON.parse(String(registration.data)), name, key_id: keyId }),
  })
  applicationIds.push(id)
}

const signIn = (at: number, applicationId: string, userId: string): void => {
  const sessionId = idAt(at)
  const expiry = secondOf(at + LIFETIME_MS)
  const expires = iso(expiry * 1000)
  const data = { session_id: sessionId, expires_at: expires, ends_at: expires, amr: ['pwd'] }
  log(at, applicationId, { type: 'UserSignedIn', version: 1, data, userId })
  if (expiry * 1000 <= END) return
  insert('sessions', {
    id: sessionId,
    user_id: userId,
    password_version: 1,
    expires_at: expiry,
    signed_out: 0,
    version: 1,
    created_at: secondOf(at),
    application_id: applicationId,
    ends_at: expiry,
    renewed_at: null,
    label: null,
    methods: 'password',
    authenticated_at: secondOf(at),
  })
}

const refused = (reason: string, about: Pick<Entry, 'userId' | 'isOfService'>): Entry => ({
  type: 'SignInRefused',
  version: 1,
  data: { reason },
  ...about,
})

const summary = (at: number): Entry => ({
  type: 'RefusalsSummarized',
  version: 1,
  isOfService: true,
  data: {
    type: 'SignInRefused',
    count: 500,
    from: iso(at - 60_000),
    to: iso(at),
    reasons: [
      { reason: 'unknown_email', count: 400 },
      { reason: 'wrong_password', count: 100 },
    ],
    subjects: [],
  },
})

const token = (at: number): Entry => ({
  type: 'ApplicationTokenIssued',
  version: 1,
  data: { token_id: idAt(at), key_id: application.key_id, expires_at: iso(at + 3_600_000) },
})

for (let index = 0; index < Number(wanted); index += 1) {
  const at = Math.floor(BEGIN + ((END - BEGIN) * index) / Number(wanted))
  const userId = users[index % 7 === 0 ? 0 : (index * 7_919) % users.length] ?? ''
  const applicationId = applicationIds[index % 2 === 0 ? 0 : index % applicationIds.length] ?? ''
  const kind = Math.floor(index / 7) % 20
  if (index % 10_000 === 9_999)
    log(at, applicationId, {
      type: 'SecondFactorRefused',
      version: 1,
      data: { reason: 'counter_went_back' },
      userId,
    })
  else if (kind < 10) signIn(at, applicationId, userId)
  else if (kind < 15) log(at, applicationId, token(at))
  else if (kind < 17) log(at, applicationId, refused('wrong_password', { userId }))
  else if (kind < 19 || index % 7 !== 0)
    log(at, applicationId, refused('unknown_email', { isOfService: true }))
  else log(at, applicationId, summary(at))
}
db.exec('COMMIT')
db.close()
