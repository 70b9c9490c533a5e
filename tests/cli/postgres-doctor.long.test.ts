import { expect } from 'chai'
import {
  contents,
  describeOnPostgres,
  NEWEST_SCHEMA,
  onEmpty,
  sharedDatabase,
  type TestDatabase,
} from '../postgres/database.ts'
import { DEFAULT_COST } from '../support/default-cost.ts'
import { succeed } from '../support/outcome.ts'
import { type PostgresServer, startPostgresServer } from '../support/postgres-server.ts'
import { CONTEXT } from '../support/request-context.ts'
import { runHere } from '../support/run-here.ts'
import { startService } from '../support/running-service.ts'

const CHECKS = [
  'settings',
  'store',
  'durability',
  'connections',
  'restores',
  'servers',
  'log',
  'history',
  'applications',
  'keys',
  'passwords',
  'hashing',
]
const ENVIRONMENT = { ...DEFAULT_COST, PASSWORD_PEPPER: `this:${'p'.repeat(32)}` }

/** Failing checks, each caused by a statement or by settings. */
const WRONG: ReadonlyArray<
  readonly [
    what: string,
    sql: string,
    /** The check, and after a space another one. */
    checks: string,
    detail: RegExp,
    settings?: (url: string) => Record<string, string>,
  ]
> = [
  [
    'a deleted log entry',
    'ALTER TABLE portcullis.log DISABLE TRIGGER USER; DELETE FROM portcullis.log WHERE position = 4',
    'log history',
    /position 4 is missing, and no LogPruned that EVENT_LOG_KEY has signed names it/,
  ],
  [
    'too few connections',
    '',
    'connections',
    /^\d+ of the server's \d+ connections are used, and each instance uses up to 1000\. Raise max_connections, use PgBouncer, or lower DATABASE_POOL_SIZE\.$/,
    () => ({ DATABASE_POOL_SIZE: '1000' }),
  ],
  [
    'a store of a newer version',
    "INSERT INTO portcullis.migrations VALUES (99, 'x')",
    'store',
    new RegExp(
      `cannot be used: a newer version of Portcullis wrote it \\(schema ${NEWEST_SCHEMA + 1}\\)\\. Start that version\\.$`,
    ),
  ],
  ['a database without a store', 'DROP SCHEMA portcullis CASCADE', 'store', /it contains no store/],
  [
    'no database',
    '',
    'store',
    /no database has this name/,
    (url) => ({ DATABASE_URL: url.replace(/\w+$/, 'nowhere') }),
  ],
]

/** Fills a store with accounts and sessions in each state. Returns its secrets. */
const live = async ({ url, ask }: TestDatabase): Promise<ReadonlyArray<string>> => {
  const running = await startService({ ...ENVIRONMENT, DATABASE_URL: url })
  const { service, send, user, userToken } = running
  const bob = { email: 'bob@example.com', password: 'secret' }
  await succeed(service.registerUser(CONTEXT, bob, { kind: 'operator' }))
  const [ended, alive] = [await userToken(), await userToken(user)]
  await send({ method: 'DELETE', path: '/api/v1/auth/user/token', token: ended })
  await running.stop()
  const records = await ask('SELECT password_record FROM portcullis.users')
  return [
    ended,
    alive,
    ...records.map(({ password_record }) => String(password_record)),
    new URL(url).password,
    'wrong-secret',
    'example.com',
  ]
}

const doctor = async (environment: Record<string, string>) => {
  const { status, out, err } = await runHere('doctor --json', environment)
  const { ok, checks } = JSON.parse(out) as {
    ok: boolean
    checks: ReadonlyArray<{ name: string; ok: boolean; detail: string }>
  }
  return { status, out, err, ok, checks, wrong: checks.filter((check) => !check.ok) }
}

describeOnPostgres('portcullis doctor on PostgreSQL', (server) => {
  const original = sharedDatabase(server)
  let secrets: ReadonlyArray<string> = []
  before(async () => {
    secrets = await live(original())
  })

  /** A test with a copy of the filled database. */
  const onCopy = (test: (database: TestDatabase) => Promise<void>) =>
    onEmpty(server, async (database) => {
      await server.ask(`DROP DATABASE ${database.name}`)
      await server.ask(`CREATE DATABASE ${database.name} TEMPLATE ${original().name}`)
      await test(database)
    })

  it(
    'passes on a store with every kind of row, names each check, and changes nothing',
    onCopy(async (database) => {
      const before = await contents(database)
      const { status, out, err, ok, checks } = await doctor({ ...ENVIRONMENT, DATABASE_URL: database.url })
      expect([status, err, ok]).to.deep.equal([0, '', true])
      expect(checks.map(({ name }) => name)).to.deep.equal(CHECKS)
      for (const { detail } of checks) expect(detail).to.match(/\.$/)
      for (const secret of secrets) expect(out).not.to.include(secret)
      expect(await contents(database)).to.deep.equal(before)
    }),
  )

  for (const [what, sql, checks, detail, settings = () => ({})] of WRONG) {
    it(
      `fails only the right checks for: ${what}`,
      onCopy(async (database) => {
        await database.ask(sql)
        const environment = { ...ENVIRONMENT, DATABASE_URL: database.url, ...settings(database.url) }
        const { status, out, err, ok, wrong } = await doctor(environment)
        expect([status, ok]).to.deep.equal([1, false])
        expect(err).to.equal('Some checks failed. See each check that is not ok.\n')
        expect(wrong.map(({ name }) => name)).to.deep.equal(checks.split(' '))
        expect(wrong[0]?.detail).to.match(detail)
        for (const secret of secrets) expect(out + err).not.to.include(secret)
      }),
    )
  }
})

describeOnPostgres('portcullis doctor on a PostgreSQL server of its own', () => {
  let server: PostgresServer
  before(async function () {
    this.timeout(60_000)
    server = await startPostgresServer('-c', 'fsync=off')
  })
  after(async function () {
    this.timeout(60_000)
    await server.remove()
  })

  it('reports fsync=off, and a stopped server', async () => {
    const { url } = await server.newDatabase()
    await (await startService({ DATABASE_URL: url })).stop()
    const environment = { ...DEFAULT_COST, DATABASE_URL: url }
    const { status, wrong } = await doctor(environment)
    expect(status).to.equal(1)
    expect(wrong).to.deep.equal([
      {
        name: 'durability',
        ok: false,
        detail: 'fsync is off, so that a crash of the machine can lose answered changes. Turn it on.',
      },
    ])
    await server.stop()
    const away = await doctor(environment)
    expect(away.status).to.equal(1)
    expect(away.wrong.map(({ name }) => name)).to.deep.equal(['store'])
    expect(away.wrong[0]?.detail).to.match(
      /^The database postgres:\/\/127\.0\.0\.1:\d+\/test_\d+ cannot be used: it cannot be reached \(ECONNREFUSED\)\./,
    )
    await server.start()
  }).timeout(60_000)
})
