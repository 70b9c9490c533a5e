import { expect } from 'chai'
import type { Finding } from '../../application/ports/inspection.ts'
import { withRaw } from '../sqlite/raw.ts'
import { onSqlite } from '../support/one-store.ts'
import { workplace } from '../support/workplace.ts'

const PEPPER = `2026:${'p'.repeat(32)}`
const SERVER = { PUBLIC_URL: 'http://service.internal', PASSWORD_PEPPER: PEPPER }

onSqlite('portcullis doctor beside a server', (stores) => {
  const { portcullis, serve, remove } = stores.workplace()
  after(remove)
  const servers = async (environment: Readonly<Record<string, string>> = {}) => {
    const { out } = await portcullis('doctor --json', { environment: { ...SERVER, ...environment } })
    const checks: ReadonlyArray<Finding> = JSON.parse(out).checks
    const found = checks.find(({ name }) => name === 'servers')
    return { ok: found?.ok, detail: found?.detail ?? '' }
  }

  it('compares nothing without a running server', async () => {
    const server = await serve('serve', SERVER)
    expect(await server.end()).to.equal(0)
    expect(await servers({ USER_TOKEN_TTL: '60' })).to.deep.equal({
      ok: true,
      detail: 'No running server has noted its settings here, so none were compared.',
    })
  })

  it('names the server with the same settings, then another setting, then servers that differ', async () => {
    const server = await serve('serve', SERVER)
    const same = await servers()
    expect(same.ok, same.detail).to.equal(true)
    expect(same.detail).to.match(
      /^These settings are those of the server "(\S+) on \S+" \(started (\S+Z), last seen \S+Z\)\.$/,
    )
    expect(same.detail).to.include(`"${server.url} on `)

    const different = await servers({ PASSWORD_PEPPER: '' })
    expect(different.ok).to.equal(false)
    expect(different.detail.match(/ is "/g), different.detail).to.have.lengthOf(1)
    expect(different.detail)
      .to.include('PASSWORD_PEPPER is "2026" (here "not set"). ')
      .and.to.include(server.url)

    const other = await serve('serve', { ...SERVER, PASSWORD_POLICY: 'nist' })
    const found = await servers()
    expect(found.ok).to.equal(false)
    expect(found.detail).to.include('PASSWORD_POLICY is "nist" (here "contract")').and.to.include(other.url)
    expect(await other.end()).to.equal(0)
    expect(await servers()).to.include({ ok: true })
    expect(await server.end()).to.equal(0)
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
  const { serve, folder, portcullis, remove } = workplace()
  after(remove)

  it('has no notes, so that doctor compares nothing on it', async () => {
    const server = await serve('serve', SERVER)
    expect((await portcullis(`backup ${folder}/copy.db`)).status).to.equal(0)
    const environment = { ...SERVER, PUBLIC_URL: 'http://other.internal', DATABASE_URL: 'sqlite:copy.db' }
    const { out } = await portcullis('doctor', { environment })
    expect(out, out).to.match(/^ok {5}servers +No running server/m)
    expect(await server.end()).to.equal(0)
  }).timeout(30_000)
})
