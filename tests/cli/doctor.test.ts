import { expect } from 'chai'
import type { Environment } from '../../adapters/config/settings.ts'
import { DEFAULT_COST } from '../support/default-cost.ts'
import { integrated } from '../support/integration.ts'
import { onSqlite, type StoreSettings } from '../support/one-store.ts'
import { succeed } from '../support/outcome.ts'
import { CONTEXT } from '../support/request-context.ts'
import { runHere } from '../support/run-here.ts'
import { type RunningService, startService } from '../support/running-service.ts'
import { workplace } from '../support/workplace.ts'

/** The first and last checks. The checks of the kind of store are between them. */
const FIRST = 'settings'
const LAST = ['log', 'history', 'applications', 'keys', 'passwords', 'hashing']
const PEPPER = `this:${'p'.repeat(32)}`
const ENVIRONMENT = { PASSWORD_PEPPER: PEPPER }

type Check = Readonly<{ name: string; ok: boolean; detail: string }>

/** Damages to a valid store, with the checks that fail. Hashes are cheap in these tests, so the check of hashing fails too. */
const WRONG: ReadonlyArray<
  readonly [
    what: string,
    statements: ReadonlyArray<string>,
    checks: ReadonlyArray<string>,
    detail: RegExp,
    environment?: Environment,
  ]
> = [
  [
    'a revived session',
    ['UPDATE sessions SET signed_out = 0 WHERE signed_out = 1'],
    ['log'],
    /sessions \S+ \(version \d+\): signed_out differs from the log/,
  ],
  [
    'a forged administrator',
    [`UPDATE users SET roles = 'shop:admin' WHERE email_key = 'ada@example.com'`],
    ['log'],
    /users \S+ \(version \d+\): roles differs from the log/,
  ],
  [
    'an unknown key',
    [
      `INSERT INTO keys (id, kid, purpose, material, created_at, signs_from, retired, version)
         SELECT 'user-9', 'planted', purpose, material, created_at, signs_from, retired, 1 FROM keys WHERE purpose = 'user'`,
    ],
    ['log', 'keys'],
    /keys user-9 \(version 1\): the row differs from the log/,
  ],
  [
    'a deleted log entry',
    [`DELETE FROM log WHERE position = 4`],
    ['log', 'history'],
    /position 4 is missing, and no LogPruned that EVENT_LOG_KEY has signed names it/,
  ],
  [
    'a changed log entry',
    [`UPDATE log SET data = '{"name":7}' WHERE position = 3`],
    ['log', 'history'],
    /unreadable entry in the log/,
  ],
  [
    'an unreadable row',
    [`UPDATE users SET status = 'promoted' WHERE email_key = 'ada@example.com'`],
    ['log', 'passwords'],
    /unreadable entry in users/,
  ],
  [
    'a missing pepper',
    [],
    ['passwords'],
    /^2 cannot be verified\. Either PASSWORD_PEPPER lacks their pepper: add it\./,
    {},
  ],
  [
    'hashes that are too cheap',
    [],
    ['hashing'],
    /costs less than OWASP recommends: raise SCRYPT_LOG_N/,
    { ...ENVIRONMENT, ...DEFAULT_COST, SCRYPT_LOG_N: '12' },
  ],
]

onSqlite('portcullis doctor', (stores) => {
  const { portcullis, remove } = workplace()
  const secrets: Array<string> = [PEPPER.slice(5), 'correct horse', 'secret', 'example.com']
  let original: StoreSettings

  /** Fills a store with accounts and sessions in each state. */
  const live = async (running: RunningService): Promise<void> => {
    const { service, send, user, userToken } = running
    const revoked = await succeed(
      service.registerApplication(CONTEXT, { name: 'revoked', scope: 'users:sign_in' }),
    )
    await succeed(service.revokeApplication(CONTEXT, revoked.application.id))
    const token = await running.applicationToken()
    await succeed(service.revokeToken(CONTEXT, running.keys.public_api_key.slice('pk_'.length), token))
    const bob = { email: 'bob@example.com', password: 'secret' }
    await succeed(service.registerUser(CONTEXT, bob, { kind: 'operator' }))
    await succeed(service.disableUser(CONTEXT, bob.email))
    const [ended, alive] = [await userToken(), await userToken(user)]
    await send({ method: 'DELETE', path: '/api/v1/auth/user/token', token: ended })
    secrets.push(revoked.privateApiKey, ended, alive, token)
  }

  before(async () => {
    original = await stores.fresh()
    const running = await startService({ ...ENVIRONMENT, ...original })
    await live(running)
    await running.stop()
    const store = await stores.kind.openStore(original.DATABASE_URL)
    await integrated(store)
    await store.close()
    const { users, applications, keys } = await stores.kind.contents(original.DATABASE_URL)
    const materials = keys.map(({ material }) => String(material))
    secrets.push(
      ...users.map(({ password_record }) => String(password_record)),
      ...applications.map(({ key_digest }) => String(key_digest)),
      ...materials.map((one) => (one.startsWith('{') ? JSON.parse(one).d : one)),
    )
  })
  after(remove)

  it('passes on a store with every kind of row, and names each check', async () => {
    const { status, out, err } = await portcullis('doctor --json', {
      environment: { ...ENVIRONMENT, ...DEFAULT_COST, ...original },
    })
    expect([status, err]).to.deep.equal([0, ''])
    const { ok, checks, ...rest } = JSON.parse(out)
    expect(rest).to.deep.equal({})
    expect(ok).to.equal(true)
    const names = checks.map(({ name }: Check) => name)
    expect([names[0], ...names.slice(-LAST.length)]).to.deep.equal([FIRST, ...LAST])
    expect(names).to.include('store')
    for (const check of checks) {
      expect(Object.keys(check)).to.deep.equal(['name', 'ok', 'detail'])
      expect(check).to.include({ ok: true })
      expect(check.detail).to.match(/\.$/)
    }
    const { settings, log, passwords } = Object.fromEntries(checks.map((check: Check) => [check.name, check]))
    expect(settings.detail).to.include('scrypt N=2^15 r=8 p=3')
    const { log: entries, ...tables } = await stores.kind.contents(original.DATABASE_URL)
    const { applications, users, sessions, keys, revoked_tokens } = tables
    const rows = [applications, users, sessions, keys, revoked_tokens].flat()
    expect(log.detail).to.equal(`${entries.length} entries and ${rows.length} rows agree.`)
    expect(passwords.detail).to.equal(
      '0 are up to date. 2 will be rehashed at the next sign-in. Schemes: scrypt ln=1,r=8,p=1 pepper=this (2).',
    )
    for (const secret of secrets) expect(out).not.to.include(secret)
  })

  it('prints one check per line without --json', async () => {
    const { status, out, err } = await portcullis('doctor', {
      environment: { ...ENVIRONMENT, ...original },
    })
    expect(status).to.equal(1)
    expect(err).to.equal('Some checks failed. See each check that is not ok.\n')
    const lines = out.trimEnd().split('\n')
    const told = lines.map((line) => line.split(/ +/).slice(0, 2))
    for (const [verdict, name] of told) expect(verdict, name).to.equal(name === 'hashing' ? 'WRONG' : 'ok')
    expect(told.map(([, name]) => name)).to.include.members([FIRST, 'store', ...LAST])
  })

  for (const [what, statements, checks, detail, environment = ENVIRONMENT] of WRONG) {
    it(`fails only the right check for: ${what}`, async () => {
      const store = await stores.copyOf(original)
      await stores.kind.spoil(store.DATABASE_URL, ...statements)
      const { status, out, err } = await runHere('doctor --json', { ...environment, ...store })
      expect(status).to.equal(1)
      expect(err).to.equal('Some checks failed. See each check that is not ok.\n')
      const report = JSON.parse(out)
      expect(report.ok).to.equal(false)
      const wrong: ReadonlyArray<Check> = report.checks.filter(({ ok }: Check) => !ok)
      expect(wrong.map(({ name }) => name)).to.deep.equal([...new Set([...checks, 'hashing'])])
      expect(wrong[0]?.detail).to.match(detail)
      for (const secret of secrets) expect(out + err).not.to.include(secret)
    })
  }
})
