import { execFile } from 'node:child_process'
import { copyFileSync, mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { promisify } from 'node:util'
import Database from 'better-sqlite3'
import { expect } from 'chai'
import { ROOT } from '../architecture/root.ts'
import { needs } from '../ship/systemd.ts'
import { apiClient } from '../support/api-client.ts'
import { FACTOR_SETTINGS, totpAt } from '../support/factor-desk.ts'
import { httpClient } from '../support/http-client.ts'
import { jsonLines } from '../support/json-lines.ts'
import { postgres } from '../support/postgres.ts'
import { SECOND_STEP } from '../support/second-factor-service.ts'
import { workplace } from '../support/workplace.ts'
import { betterAuth, FROM_BETTER_AUTH } from './import-recipes/better-auth.ts'
import { FROM_KEYCLOAK, keycloakTables, keycloakUsers } from './import-recipes/keycloak.ts'
import { FROM_KRATOS, kratosIdentities, startKratos } from './import-recipes/kratos.ts'
import { type Expected, PASSWORD, sqlOf, type Tables } from './import-recipes/rows.ts'
import { FROM_SUPERTOKENS, superTokens } from './import-recipes/supertokens.ts'
import { codeIn, partOf } from './page.ts'

const page = readFileSync(join(ROOT, 'docs/import-recipes.md'), 'utf8')

/** The scripts that the page links to. */
const SCRIPTS = [...page.matchAll(/\((\.\.\/deploy\/import\/[a-z-]+\.(?:mjs|sql))\)/g)].map(([, path = '']) =>
  join(ROOT, 'docs', path),
)

const WITH_KEY = { environment: { KEY_ENCRYPTION_KEY: FACTOR_SETTINGS.KEY_ENCRYPTION_KEY ?? '' } }

/** Prepares the other system in the folder, and returns the environment of the command. */
type Prepare = (folder: string) => Promise<Readonly<Record<string, string>>>

describe('docs/import-recipes.md', function () {
  this.timeout(60_000)

  /** Does what the page says, and compares all that follows from it. */
  const follows = async (command: string, prepare: Prepare, expected: Expected): Promise<void> => {
    const { folder, portcullis, serve, remove } = workplace()
    try {
      for (const script of SCRIPTS) copyFileSync(script, join(folder, basename(script)))
      const environment = { PATH: process.env.PATH, TZ: 'America/New_York', ...(await prepare(folder)) }
      const ran = await promisify(execFile)('sh', ['-e', '-c', command], { cwd: folder, env: environment })
      expect(ran.stderr.split('\n').slice(0, -1)).to.have.members(expected.skipped)
      expect(statSync(join(folder, 'users.jsonl')).mode & 0o777).to.equal(0o600)

      const made = await portcullis('application create --name shop --json')
      const { out, err } = await portcullis('user import users.jsonl --json', WITH_KEY)
      const { imported, known, bad } = expected
      const lines = imported.length + known + bad.length
      expect(JSON.parse(out), err).to.deep.equal({ lines, imported: imported.length, known, bad: bad.length })
      const reasons = err.split('\n').slice(0, bad.length)
      for (const [index, [line, reason]] of bad.entries())
        expect(reasons[index]).to.satisfy((text: string) => text.startsWith(`Line ${line}: ${reason}`), err)

      const users = jsonLines((await portcullis('user list --json')).out)
      const found = new Map(users.map((user) => [user.email, user]))
      expect([...found.keys()]).to.have.members(imported.map(({ email }) => email))
      const server = await serve('serve', WITH_KEY.environment)
      const api = apiClient(server.url)
      const { send, close } = httpClient(server.url)
      try {
        const { token } = (await api.issueToken(JSON.parse(made.out))).body
        for (const {
          email,
          id,
          isVerified = false,
          createdAt,
          password = PASSWORD,
          lost,
          totp,
        } of imported) {
          const user = found.get(email)
          expect(user, email).to.include({ email_verified: isVerified, created_at: createdAt })
          if (id !== undefined) expect(user.id).to.equal(id)
          for (const secret of totp ?? [undefined]) {
            const first = await api.signIn(token, email, password)
            const code = { totp: totpAt(secret ?? '', Date.now()), token: first.body.second_factor?.token }
            const done = secret ? await send({ method: 'POST', path: SECOND_STEP, token, body: code }) : first
            expect(done.status, email).to.equal(200)
          }
          if (lost !== undefined) expect((await api.signIn(token, email, lost)).status).to.equal(422)
        }
        const [{ email = '' } = {}] = imported
        expect((await api.signIn(token, email, 'a wrong password')).status).to.equal(422)
      } finally {
        await api.close()
        await close()
        await server.end()
      }
    } finally {
      await remove()
    }
  }

  /** The command of a part that begins a line with this program. */
  const commandOf = (part: string, program: string): string => {
    const commands = codeIn(partOf(page, part), 'sh')
    const command = commands.find((one) => one.includes(`\n${program} `))
    if (command === undefined) throw new Error(`${part} has no command with ${program}`)
    return command
  }

  const drops: Array<() => Promise<void>> = []
  after(() => Promise.all(drops.map((drop) => drop())))

  /** `psql` finds the database in its environment, as the page says. */
  const inPostgres =
    (tables: Tables): Prepare =>
    async () => {
      if (postgres === undefined) throw new Error('There is no PostgreSQL.')
      const { url, drop } = await postgres.newDatabase()
      drops.push(drop)
      const { username, password, hostname, port, pathname } = new URL(url)
      const database = pathname.slice(1)
      await postgres.ask(sqlOf(tables), database)
      return {
        PGUSER: username,
        PGPASSWORD: decodeURIComponent(password),
        PGHOST: hostname,
        PGPORT: port,
        PGDATABASE: database,
      }
    }

  const needsPostgres = (test: Mocha.Context): void => {
    needs(test, 'psql', '--version')
    if (postgres === undefined) test.skip()
  }

  it('imports users of better-auth from PostgreSQL', async function () {
    needsPostgres(this)
    await follows(commandOf('## better-auth', 'psql'), inPostgres(await betterAuth()), FROM_BETTER_AUTH)
  })

  for (const [schemaOf, spelt, time] of [
    ['better-auth', (sql: string) => sql, (at: string) => at],
    [
      'Drizzle',
      (sql: string) => sql.replaceAll(/(?<=[a-z])[A-Z]/g, (one) => `_${one.toLowerCase()}`),
      Date.parse,
    ],
  ] as const)
    it(`imports users of better-auth from SQLite, with the schema of ${schemaOf}`, async function () {
      needs(this, 'sqlite3', '-version')
      const { schema, rows } = await betterAuth()
      const stored = (value: unknown) => {
        if (typeof value === 'boolean') return Number(value)
        return typeof value === 'string' && /^\d{4}-.*Z$/.test(value) ? time(value) : value
      }
      const prepare: Prepare = async (folder) => {
        const database = new Database(join(folder, 'auth.db'))
        database.exec(spelt(schema))
        for (const [table, all] of Object.entries(rows))
          for (const row of all) {
            const names = Object.keys(row).map((name) => spelt(`"${name}"`))
            const sql = `INSERT INTO "${table}" (${names}) VALUES (${names.map(() => '?')})`
            database.prepare(sql).run(Object.values(row).map(stored))
          }
        database.close()
        return {}
      }
      await follows(spelt(commandOf('## better-auth', 'sqlite3')), prepare, FROM_BETTER_AUTH)
    })

  it('imports users of Kratos from its admin API', async () => {
    const kratos = await startKratos(await kratosIdentities())
    try {
      await follows(commandOf('## Kratos', 'node'), async () => ({ KRATOS_ADMIN: kratos.url }), FROM_KRATOS)
    } finally {
      kratos.end()
    }
  })

  it('stops if Kratos fails', async () => {
    const kratos = await startKratos([], 503)
    const prepare = async () => ({ KRATOS_ADMIN: kratos.url })
    const nothing = { imported: [], skipped: [], known: 0, bad: [] }
    const failed = await follows(commandOf('## Kratos', 'node'), prepare, nothing).catch(
      ({ stderr }) => stderr,
    )
    kratos.end()
    expect(failed).to.include(`Kratos answered 503 to ${kratos.url}/admin/identities?`)
  })

  it('imports users of SuperTokens from PostgreSQL', async function () {
    needsPostgres(this)
    await follows(commandOf('## SuperTokens', 'psql'), inPostgres(await superTokens()), FROM_SUPERTOKENS)
  })

  it('imports users of Keycloak from PostgreSQL', async function () {
    needsPostgres(this)
    const tables = keycloakTables(await keycloakUsers())
    await follows(commandOf('## Keycloak', 'psql'), inPostgres(tables), FROM_KEYCLOAK)
  })

  it('imports users of Keycloak from its export', async function () {
    needs(this, 'jq', '--version')
    const users = await keycloakUsers()
    const prepare: Prepare = async (folder) => {
      mkdirSync(join(folder, 'export'))
      const file = (name: string, content: object) =>
        writeFileSync(join(folder, 'export', name), JSON.stringify(content, undefined, 2))
      file('shop-realm.json', { id: 'realm-1', realm: 'shop', enabled: true })
      file('shop-users-0.json', { realm: 'shop', users: users.slice(0, 9) })
      file('shop-users-1.json', { realm: 'shop', users: users.slice(9) })
      return {}
    }
    await follows(commandOf('## Keycloak', 'jq'), prepare, FROM_KEYCLOAK)
  })
})
