import { execFileSync } from 'node:child_process'
import { mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'chai'
import { isRight } from 'fp-ts/lib/Either.js'
import { settingsFrom } from '../../adapters/config/settings.ts'
import { ROOT } from '../architecture/root.ts'
import { codeIn, partOf } from '../readme/page.ts'
import { apiClient } from '../support/api-client.ts'
import { processWorkplace } from '../support/command.ts'
import { postgres } from '../support/postgres.ts'
import { COMPOSE, environmentOf, SECRETS_FOLDER } from './compose.ts'
import { DOCKERFILE, environmentOf as environmentOfImage, stagesOf } from './dockerfile.ts'
import { needs } from './systemd.ts'

const PASSWORD = 'nine purple otters sing'

if (postgres !== undefined) {
  const server = postgres

  describe('the configuration of the service and its database in compose.yaml', () => {
    const { folder, portcullis, serve, remove } = processWorkplace()
    /** Renames the role and the database, because the superuser of the tests has the same name. */
    const renamed = (text: string) => text.replaceAll('portcullis', 'composed')
    const inFolder = (path: string) => path.replace(SECRETS_FOLDER, `${join(folder, 'mounted')}/`)
    const secret = (name: string) =>
      readFileSync(join(folder, COMPOSE.secrets[name]?.file ?? ''), 'utf8').trimEnd()

    before(() => {
      const [commands = ''] = codeIn(
        partOf(readFileSync(join(ROOT, 'docs/deploy.md'), 'utf8'), '## Make the secrets'),
        'sh',
      )
      execFileSync('sh', ['-e', '-c', commands], { cwd: folder })
      mkdirSync(join(folder, 'mounted'))
      for (const [name, { file }] of Object.entries(COMPOSE.secrets))
        writeFileSync(join(folder, 'mounted', name), readFileSync(join(folder, file)))
    })
    after(async () => {
      remove()
      await server.ask('DROP DATABASE IF EXISTS composed WITH (FORCE)')
      await server.ask('DROP ROLE IF EXISTS composed')
    })

    /** The environment of the service’s container, with secret paths on this machine. */
    const environment = (): Record<string, string> => {
      const given = environmentOf('portcullis')
      const all = { ...environmentOfImage(stagesOf(DOCKERFILE).at(-1)), ...given }
      return Object.fromEntries(Object.entries(all).map(([name, value]) => [name, inFolder(value)]))
    }

    it('uses exactly the secrets that the commands of docs/deploy.md make', () => {
      expect(statSync(join(folder, 'secrets')).mode & 0o777).to.equal(0o700)
      expect(readdirSync(join(folder, 'secrets'))).to.have.members(Object.keys(COMPOSE.secrets))
      for (const { file } of Object.values(COMPOSE.secrets))
        expect(statSync(join(folder, file)).mode & 0o777).to.equal(0o444)
      const secrets = Object.keys(COMPOSE.secrets).map(secret)
      expect(new Set(secrets).size).to.equal(secrets.length)
      for (const value of secrets) expect(value).to.match(/[0-9a-f]{64}/)
    })

    it('has valid settings', () => {
      const settings = settingsFrom(environment())
      if (!isRight(settings)) throw new Error(settings.left.join('\n'))
      expect(settings.right).to.deep.include({
        host: '0.0.0.0',
        port: 8080,
        publicUrl: 'https://auth.example.com',
        trustedProxies: 1,
        passwordPolicy: { kind: 'nist', minCodePoints: 15 },
      })
      expect(settings.right.database).to.deep.include({ place: 'postgres://database:5432/portcullis' })
      const { peppers, keyEncryptionKeys } = settings.right
      expect([peppers, keyEncryptionKeys].map(([first]) => first?.id)).to.deep.equal(['2026', '2026'])
    })

    it('starts on a database made by its script and creates accounts as docs/deploy.md says', async function () {
      needs(this, 'psql', '--version')
      const script = readFileSync(join(ROOT, 'deploy/compose/database.sql'), 'utf8')
      writeFileSync(join(folder, 'database.sql'), inFolder(renamed(script)))
      const { url: superuser, drop } = await server.newDatabase()
      const words = ['--no-psqlrc', '--quiet', '--set=ON_ERROR_STOP=1', '--file=database.sql', superuser]
      execFileSync('psql', words, { cwd: folder, stdio: 'pipe' })
      await drop()

      const url = new URL(renamed(secret('database_url')))
      expect(url.hostname, 'the name of a service').to.be.oneOf(Object.keys(COMPOSE.services))
      url.hostname = '127.0.0.1'
      url.port = String(server.port)
      writeFileSync(join(folder, 'mounted', 'database_url'), `${url}\n`)

      const service = await serve('serve', environment())
      const made = await portcullis('application create --name shop --json', { environment: environment() })
      const user = await portcullis('user create --email ada@example.com --password-stdin', {
        environment: environment(),
        input: PASSWORD,
      })
      expect(user).to.include({ status: 0, err: '' })
      const api = apiClient(service.url)
      const { token } = (await api.issueToken(JSON.parse(made.out))).body
      expect((await api.signIn(token, 'ada@example.com', PASSWORD)).status).to.equal(200)
      await api.close()
      const [role] = await server.ask(
        `SELECT rolsuper, rolcreatedb, rolcreaterole FROM pg_roles WHERE rolname = 'composed'`,
      )
      expect(role).to.deep.equal({ rolsuper: false, rolcreatedb: false, rolcreaterole: false })
      const [key] = await server.ask(`SELECT count(*) FROM portcullis.keys`, 'composed')
      expect(Number(key?.count)).to.be.greaterThan(1)
      expect((await portcullis('keys list', { environment: environment() })).status).to.equal(0)
      expect((await portcullis('doctor', { environment: environment() })).out).to.match(
        /^ok +keys .* encrypted under 2026/m,
      )
      expect(await service.end()).to.equal(0)
    })
  })
}
