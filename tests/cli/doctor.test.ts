import {
  chmodSync,
  copyFileSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { dirname, join } from 'node:path'
import type Database from 'better-sqlite3'
import { expect } from 'chai'
import type { Environment } from '../../adapters/config.ts'
import { contents, withRaw } from '../sqlite/raw.ts'
import { laySchema1 } from '../sqlite/schema-1.ts'
import { workplace } from '../support/command.ts'
import { DEFAULT_COST } from '../support/default-cost.ts'
import { succeed } from '../support/outcome.ts'
import { runHere } from '../support/run-here.ts'
import { CALL, type RunningService, startService } from '../support/running-service.ts'

const CHECKS = ['settings', 'permissions', 'disk', 'store', 'log', 'keys', 'passwords', 'hashing']
const PEPPER = `this:${'p'.repeat(32)}`
const ENVIRONMENT = { ...DEFAULT_COST, PASSWORD_PEPPER: PEPPER }
const CHEAP_HASHES = { ...ENVIRONMENT, SCRYPT_LOG_N: '12' }

/** Makes something wrong with a store file that was all right. */
type Damage = (path: string) => void

const sql =
  (...statements: ReadonlyArray<string>): Damage =>
  (path) =>
    withRaw(path, (db: Database.Database) => {
      for (const statement of statements) {
        const { changes } = db.prepare(statement).run()
        if (!/^DROP/.test(statement) && changes === 0) throw new Error(`it changed nothing: ${statement}`)
      }
    })

const withoutTriggers = (...statements: ReadonlyArray<string>): Damage =>
  sql('DROP TRIGGER log_no_update', 'DROP TRIGGER log_no_delete', ...statements)

/** Writes rubbish over the second half of the file; its header stays as it was. */
const scribble: Damage = (path) => {
  const bytes = readFileSync(path)
  bytes.fill(0x5a, bytes.length / 2)
  writeFileSync(path, bytes)
}

const WRONG: ReadonlyArray<
  readonly [
    what: string,
    damage: Damage,
    checks: ReadonlyArray<string>,
    said: RegExp,
    environment?: Environment,
  ]
> = [
  [
    'a password record that nobody set',
    sql(`UPDATE users SET password_record = (SELECT password_record FROM users WHERE email_key = 'bob@example.com')
         WHERE email_key = 'ada@example.com'`),
    ['log'],
    /users \S+ \(version \d+\): password_digest is not what the log says/,
  ],
  [
    'a disabled user who was enabled behind the back of the log',
    sql(`UPDATE users SET status = 'enabled' WHERE email_key = 'bob@example.com'`),
    ['log'],
    /users \S+ \(version \d+\): status is not what the log says/,
  ],
  [
    'a session that was brought back to life',
    sql('UPDATE sessions SET signed_out = 0 WHERE signed_out = 1'),
    ['log'],
    /sessions \S+ \(version \d+\): signed_out is not what the log says/,
  ],
  [
    'a session that lives longer',
    sql('UPDATE sessions SET expires_at = expires_at + 1000000'),
    ['log'],
    /sessions \S+ \(version \d+\): expires_at is not what the log says/,
  ],
  [
    'a revoked application that was brought back',
    sql('UPDATE applications SET revoked = 0 WHERE revoked = 1'),
    ['log'],
    /applications \S+ \(version \d+\): revoked is not what the log says/,
  ],
  [
    'an application that may do more',
    sql(`UPDATE applications SET scope = 'users:sign_in users:register' WHERE scope = 'users:sign_in'`),
    ['log'],
    /applications \S+ \(version \d+\): scope is not what the log says/,
  ],
  [
    'a user who is gone',
    sql(`DELETE FROM users WHERE email_key = 'bob@example.com'`),
    ['log'],
    /users \S+: the log says that it is there, and it is not/,
  ],
  [
    'a key from nowhere',
    sql(`INSERT INTO keys (id, kid, purpose, material, created_at, version)
         SELECT 'user-9', 'planted', purpose, material, created_at, 1 FROM keys WHERE purpose = 'user'`),
    ['log', 'keys'],
    /keys user-9 \(version 1\): the row is not what the log says/,
  ],
  [
    'an entry that was taken out of the log',
    withoutTriggers(`DELETE FROM log WHERE position = 4`),
    ['log'],
    /the log has a gap before position 5/,
  ],
  [
    'an entry whose data was changed',
    withoutTriggers(`UPDATE log SET data = '{"name":7}' WHERE position = 3`),
    ['log'],
    /unreadable entry in the log/,
  ],
  [
    'a row that nobody can read',
    sql(`UPDATE users SET status = 'promoted' WHERE email_key = 'ada@example.com'`),
    ['log', 'passwords'],
    /unreadable entry in users/,
  ],
  [
    'a pepper that is not given any more',
    () => {},
    ['passwords'],
    /2 cannot be checked: PASSWORD_PEPPER lacks the pepper/,
    { ...DEFAULT_COST },
  ],
  [
    'hashes that cost too little',
    () => {},
    ['hashing'],
    /cheaper than OWASP recommends: raise SCRYPT_LOG_N/,
    CHEAP_HASHES,
  ],
  [
    'a file that others may read',
    (path) => chmodSync(path, 0o644),
    ['permissions'],
    /others may read or write \S+store\.db: chmod 600 it/,
  ],
  [
    'a folder that others may write to',
    (path) => chmodSync(dirname(path), 0o777),
    ['permissions'],
    /others may write to the folder \S+: chmod 700 it/,
  ],
  ['a damaged file', scribble, ['store'], /damaged\. Restore it from a back-up/],
  [
    'a file that is no database',
    (path) => writeFileSync(path, 'not a database, '.repeat(1000)),
    ['store'],
    /SQLite cannot read the file \(SQLITE_NOTADB\)/,
  ],
  ['no file', (path) => rmSync(path), ['store'], /there is no file \S+store\.db/],
  [
    'a store that a newer version wrote',
    (path) => withRaw(path, (db) => db.pragma('user_version = 99')),
    ['store'],
    /a newer version of Portcullis wrote it \(schema 99\)/,
  ],
  [
    'a store that an older version wrote',
    (path) => {
      rmSync(path)
      laySchema1(path)
      chmodSync(path, 0o600)
    },
    ['store'],
    /an older version of Portcullis wrote it \(schema 1\)\. Start this one: it brings it up to date\.$/,
  ],
  [
    'an empty file',
    (path) => writeFileSync(path, ''),
    ['store'],
    /it is empty: no service has begun on it, or something was cut short\. Is it the right file\?$/,
  ],
  [
    'a database of another program',
    (path) => {
      rmSync(path)
      withRaw(path, (db) => db.exec('CREATE TABLE bookmarks (url TEXT)'))
      chmodSync(path, 0o600)
    },
    ['store'],
    /it belongs to another program\. Name another file in DATABASE_URL\.$/,
  ],
]

describe('portcullis doctor', () => {
  const { folder, portcullis, remove } = workplace()
  const secrets: Array<string> = [PEPPER.slice(5), 'correct horse', 'secret', 'example.com']
  const original = join(folder, 'original.db')

  /** A copy of the store, damaged, in a folder of its own. */
  const copy = (damage: Damage): string => {
    const path = join(mkdtempSync(join(folder, 'case-')), 'store.db')
    copyFileSync(original, path)
    damage(path)
    return path
  }

  /** A store with somebody in every state there is. */
  const live = async ({ service, send, user, userToken }: RunningService): Promise<void> => {
    const revoked = await succeed(
      service.registerApplication(CALL, { name: 'revoked', scope: 'users:sign_in' }),
    )
    await succeed(service.revokeApplication(CALL, revoked.application.id))
    const bob = { email: 'bob@example.com', password: 'secret' }
    await succeed(service.registerUser(CALL, bob, { kind: 'operator' }))
    await succeed(service.disableUser(CALL, bob.email))
    const [ended, alive] = [await userToken(), await userToken(user)]
    await send({ method: 'DELETE', path: '/api/v1/auth/user/token', token: ended })
    secrets.push(revoked.privateApiKey, ended, alive)
  }

  before(async () => {
    const running = await startService({ ...ENVIRONMENT, DATABASE_URL: `sqlite:${original}` })
    await live(running)
    await running.stop()
    withRaw(original, (db) => {
      secrets.push(...(db.prepare('SELECT password_record FROM users').pluck().all() as Array<string>))
      secrets.push(...(db.prepare('SELECT key_digest FROM applications').pluck().all() as Array<string>))
      const materials = db.prepare('SELECT material FROM keys').pluck().all() as Array<string>
      secrets.push(...materials.map((one) => (one.startsWith('{') ? JSON.parse(one).d : one)))
    })
  })
  after(remove)

  const healthy = { ...ENVIRONMENT, DATABASE_URL: `sqlite:${original}` }

  it('finds a store well on which everything has happened, and says what it looked at', async () => {
    const { status, out, err } = await portcullis('doctor --json', { environment: healthy })
    expect([status, err]).to.deep.equal([0, ''])
    const { ok, checks, ...rest } = JSON.parse(out)
    expect(rest).to.deep.equal({})
    expect(ok).to.equal(true)
    expect(checks.map(({ name }: { name: string }) => name)).to.deep.equal(CHECKS)
    for (const check of checks) {
      expect(Object.keys(check)).to.deep.equal(['name', 'ok', 'detail'])
      expect(check).to.include({ ok: true })
      expect(check.detail).to.match(/\.$/)
    }
    const [settings, , , , log, , passwords] = checks
    expect(settings.detail).to.include('scrypt N=2^15 r=8 p=3')
    const { log: entries, ...tables } = contents(original)
    const rows = [tables.applications, tables.users, tables.sessions, tables.keys].flat()
    expect(log.detail).to.equal(`${entries.length} entries and ${rows.length} rows agree.`)
    expect(passwords.detail).to.equal('2 are as they should be, 0 become so at the next sign-in.')
    for (const secret of secrets) expect(out).not.to.include(secret)
  })

  it('says the same for people, one check a line', async () => {
    const { status, out, err } = await portcullis('doctor', {
      environment: { ...healthy, ...CHEAP_HASHES },
    })
    expect(status).to.equal(1)
    expect(err).to.equal('Something is wrong: see the checks that are not ok.\n')
    const lines = out.trimEnd().split('\n')
    expect(lines.map((line) => line.split(/ +/).slice(0, 2))).to.deep.equal(
      CHECKS.map((name) => [name === 'hashing' ? 'WRONG' : 'ok', name]),
    )
  })

  for (const [what, damage, checks, said, environment = ENVIRONMENT] of WRONG) {
    it(`finds ${what}, and nothing else wrong`, async () => {
      const store = { DATABASE_URL: `sqlite:${copy(damage)}` }
      const { status, out, err } = await runHere('doctor --json', { ...environment, ...store })
      expect(status).to.equal(1)
      expect(err).to.equal('Something is wrong: see the checks that are not ok.\n')
      const report = JSON.parse(out)
      expect(report.ok).to.equal(false)
      const wrong: ReadonlyArray<{ name: string; ok: boolean; detail: string }> = report.checks.filter(
        (check: { ok: boolean }) => !check.ok,
      )
      expect(wrong.map(({ name }) => name)).to.deep.equal(checks)
      expect(wrong[0]?.detail).to.match(said)
      for (const secret of secrets) expect(out + err).not.to.include(secret)
    })
  }

  it('changes nothing: makes no file where there is none', async () => {
    const path = copy(rmSync)
    await runHere('doctor', { ...ENVIRONMENT, DATABASE_URL: `sqlite:${path}` })
    expect(readdirSync(dirname(path))).to.deep.equal([])
  })

  it('changes nothing: leaves the mode of a file that others may read', async () => {
    const path = copy((file) => chmodSync(file, 0o644))
    await runHere('doctor', { ...ENVIRONMENT, DATABASE_URL: `sqlite:${path}` })
    expect(statSync(path).mode & 0o777).to.equal(0o644)
  })

  it('changes nothing: leaves the tables of an older version, which a service brings up to date', async () => {
    const path = copy((file) => {
      rmSync(file)
      laySchema1(file)
    })
    const before = contents(path)
    await runHere('doctor', { ...ENVIRONMENT, DATABASE_URL: `sqlite:${path}` })
    expect(contents(path)).to.deep.equal(before)
  })
})
