import { expect } from 'chai'
import type { Finding } from '../../application/ports/inspection.ts'
import { withRaw } from '../sqlite/raw.ts'
import { DEFAULT_COST } from '../support/default-cost.ts'
import { onEverySharedStore } from '../support/every-store.ts'
import { workplace } from '../support/workplace.ts'

const PEPPER = `2026:${'p'.repeat(32)}`
const SERVER = { ...DEFAULT_COST, PUBLIC_URL: 'http://service.internal', PASSWORD_PEPPER: PEPPER }

/** Another value of one setting of a command, and how the finding shows both. */
const DIFFERENT: ReadonlyArray<readonly [environment: Readonly<Record<string, string>>, detail: string]> = [
  [
    { PUBLIC_URL: 'http://other.internal' },
    'PUBLIC_URL is "http://service.internal" (here "http://other.internal"). ',
  ],
  [{ PUBLIC_URL: '' }, 'PUBLIC_URL is "http://service.internal" (here "http://127.0.0.1:8080"). '],
  [{ PASSWORD_POLICY: 'nist' }, 'PASSWORD_POLICY is "contract" (here "nist"). '],
  [{ USER_TOKEN_TTL: '60', SESSION_TTL: '43200' }, 'USER_TOKEN_TTL is "43200" (here "60"). '],
  [{ SCRYPT_LOG_N: '14' }, 'SCRYPT_LOG_N is "15" (here "14"). '],
  [{ PASSWORD_PEPPER: '' }, 'PASSWORD_PEPPER is "2026" (here "not set"). '],
]

onEverySharedStore('portcullis doctor beside a server', function (this: Mocha.Suite, stores) {
  this.timeout(60_000)
  const { asProcess, portcullis, serve, remove } = stores.workplace()
  after(remove)
  const servers = async (environment: Readonly<Record<string, string>>) => {
    const { status, out } = await portcullis('doctor --json', { environment: { ...SERVER, ...environment } })
    const checks: ReadonlyArray<Finding> = JSON.parse(out).checks
    const found = checks.find(({ name }) => name === 'servers')
    return { status, ok: found?.ok, detail: found?.detail ?? '' }
  }

  it('compares nothing without a running server', async () => {
    const server = await serve('serve', SERVER)
    expect(await server.end()).to.equal(0)
    expect(await servers({ USER_TOKEN_TTL: '60' })).to.deep.equal({
      status: 0,
      ok: true,
      detail: 'No running server has noted its settings here, so none were compared.',
    })
  })

  describe('that is another process', () => {
    let end = async (): Promise<unknown> => undefined
    let url = ''
    before(async () => {
      const server = await asProcess.serve('serve', SERVER)
      end = () => server.end()
      url = server.url
    })
    after(() => end())

    it('finds the same settings, and names the server', async () => {
      const { status, ok, detail } = await servers({})
      expect({ status, ok }, detail).to.deep.equal({ status: 0, ok: true })
      expect(detail).to.match(
        /^These settings are those of the server "(\S+) on \S+" \(started (\S+Z), last seen \S+Z\)\.$/,
      )
      expect(detail).to.include(`"${url} on `)
    })

    it('lets each process have its own address, log level, operator and number of hashes', async () => {
      const own = { PORT: '1', HOST: '::1', METRICS_PORT: '2', LOG_LEVEL: 'fatal', OPERATOR: 'ada' }
      expect(await servers({ ...own, HASHING_CONCURRENCY: '3' })).to.include({ status: 0, ok: true })
    })

    for (const [environment, detail] of DIFFERENT)
      it(`finds another setting: ${JSON.stringify(environment)}`, async () => {
        const found = await servers(environment)
        expect(found).to.include({ status: 1, ok: false })
        expect(found.detail.match(/ is "/g), found.detail).to.have.lengthOf(1)
        expect(found.detail).to.include(detail).and.to.include(url)
        expect(found.detail).to.match(/Run commands with the settings of the server \(docs\/operate\.md, /)
      })

    it('finds servers that differ from each other', async () => {
      const other = await serve('serve', { ...SERVER, PASSWORD_POLICY: 'nist' })
      const found = await servers({})
      expect(found).to.include({ status: 1, ok: false })
      expect(found.detail)
        .to.include('PASSWORD_POLICY is "nist" (here "contract")')
        .and.to.include(other.url)
        .and.to.match(
          /Give all servers and commands the same settings, and restart the servers that differ\.$/,
        )
      expect(await other.end()).to.equal(0)
      expect(await servers({})).to.include({ ok: true })
    })
  })
})

describe('a server that cannot note its settings', () => {
  const { asProcess, database, portcullis, remove } = workplace()
  after(remove)

  it('serves, and warns once', async () => {
    await portcullis('application create --name shop')
    withRaw(database, (db) =>
      db.exec(
        "CREATE TRIGGER refused BEFORE INSERT ON server_notes BEGIN SELECT RAISE(ABORT, 'no notes today'); END",
      ),
    )
    const server = await asProcess.serve('serve', { LOG_LEVEL: 'warn', ...SERVER })
    expect((await fetch(`${server.url}/readyz`)).status).to.equal(200)
    expect(await server.end()).to.equal(0)
    expect(
      server.logged().match(/"cause":"SQLITE_CONSTRAINT_TRIGGER".*are not noted in the store/g),
    ).to.have.lengthOf(1)
  }).timeout(30_000)
})

describe('a back-up of a store beside its server', () => {
  const { asProcess, folder, portcullis, remove } = workplace()
  after(remove)

  it('has no notes, so that doctor compares nothing on it', async () => {
    const server = await asProcess.serve('serve', SERVER)
    expect((await portcullis(`backup ${folder}/copy.db`)).status).to.equal(0)
    const environment = { ...SERVER, PUBLIC_URL: 'http://other.internal', DATABASE_URL: 'sqlite:copy.db' }
    const { out } = await portcullis('doctor', { environment })
    expect(out, out).to.match(/^ok {5}servers +No running server/m)
    expect(await server.end()).to.equal(0)
  }).timeout(30_000)
})
