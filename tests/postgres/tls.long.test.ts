import { execFileSync } from 'node:child_process'
import { chmodSync, chownSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect } from 'chai'
import { notificationProblem, postgresAnnouncements } from '../../adapters/stores/postgres/announcements.ts'
import { connectionsTo } from '../../adapters/stores/postgres/connections.ts'
import { openDatabase } from '../../adapters/stores/postgres/database.ts'
import { needs } from '../faults/machine.ts'
import { eventually } from '../support/eventually.ts'
import { type PostgresServer, startPostgresServer } from '../support/postgres-server.ts'
import { settings } from '../support/settings.ts'
import { describeOnPostgres, refusalOf } from './database.ts'

const UNKNOWN = (code: string) =>
  `the TLS certificate is refused (${code}). Check the server's certificate, and HOST and sslrootcert in DATABASE_URL.`

describeOnPostgres('PostgreSQL over TLS with a self-signed certificate', () => {
  const folder = mkdtempSync(join(tmpdir(), 'portcullis-tls-'))
  const ours = join(folder, 'ours.pem')
  const another = join(folder, 'another.pem')
  let server: PostgresServer
  let url: string
  const warnings: Array<Error> = []
  const keep = (warning: Error) => warnings.push(warning)

  before(async function () {
    this.timeout(60_000)
    needs(this, 'openssl', ['openssl', 'version'])
    process.on('warning', keep)
    const [key, otherKey] = [join(folder, 'ours.key'), join(folder, 'another.key')]
    makeCertificate(ours, key)
    makeCertificate(another, otherKey)
    server = await startPostgresServer()
    await speakTls(server, readFileSync(ours), readFileSync(key))
    url = (await server.newDatabase()).url
  })
  after(async function () {
    this.timeout(60_000)
    process.off('warning', keep)
    await server?.remove() // missing without openssl
    rmSync(folder, { recursive: true, force: true })
  })

  /** The certificate names localhost and no IP address. */
  const at = (host: string, query: string) => `${url.replace('127.0.0.1', host)}?${query}`
  const open = (address: string) => openDatabase({ url: address, place: 'there' }, { timeoutMs: 0 })
  const cipherOf = async (address: string): Promise<unknown> => {
    const connections = connectionsTo(address, 1)
    const { rows } = await connections.read<{ ssl: boolean }>(
      'SELECT ssl FROM pg_stat_ssl WHERE pid = pg_backend_pid()',
    )
    await connections.close()
    return rows[0]?.ssl
  }

  it('is used and verified with sslmode=verify-full and the certificate in sslrootcert', async () => {
    const address = at('localhost', `sslmode=verify-full&sslrootcert=${encodeURIComponent(ours)}`)
    await open(address)
    expect(await cipherOf(address)).to.equal(true)
    expect(settings({ DATABASE_URL: address }).database).to.have.property('url', address)
  })

  const REFUSED: ReadonlyArray<readonly [what: string, address: () => string, sentence: string]> = [
    [
      'an untrusted certificate',
      () => at('localhost', 'sslmode=verify-full'),
      UNKNOWN('DEPTH_ZERO_SELF_SIGNED_CERT'),
    ],
    [
      'a certificate other than the trusted one',
      () => at('localhost', `sslmode=verify-full&sslrootcert=${another}`),
      UNKNOWN('DEPTH_ZERO_SELF_SIGNED_CERT'),
    ],
    [
      'a certificate for another host',
      () => at('127.0.0.1', `sslmode=verify-full&sslrootcert=${ours}`),
      UNKNOWN('ERR_TLS_CERT_ALTNAME_INVALID'),
    ],
    [
      'a file without a certificate',
      () => at('localhost', `sslmode=verify-full&sslrootcert=${join(folder, 'ours.key')}`),
      UNKNOWN('DEPTH_ZERO_SELF_SIGNED_CERT'),
    ],
  ]
  for (const [what, address, sentence] of REFUSED) {
    it(`is refused with ${what}`, async () => {
      expect(await refusalOf(open(address()))).to.equal(`The database there cannot be used: ${sentence}`)
    })
  }

  it('is used and not verified with sslmode=no-verify', async () => {
    const address = at('127.0.0.1', 'sslmode=no-verify')
    await open(address)
    expect(await cipherOf(address)).to.equal(true)
  })

  for (const query of ['', 'sslmode=disable']) {
    it(`is not used ${query === '' ? 'by default' : `with ${query}`}`, async () => {
      expect(await cipherOf(at('localhost', query))).to.equal(false)
    })
  }

  it('is not used by default, also when the server requires it, and then the server refuses', async () => {
    const [{ file = '' } = {}] = await server.ask("SELECT current_setting('hba_file') AS file")
    const before = readFileSync(String(file), 'utf8')
    try {
      writeFileSync(String(file), before.replaceAll(/^host\b/gm, 'hostssl'))
      await server.ask('SELECT pg_reload_conf()')
      const refusal = await eventually('the server requires TLS', async () => {
        const said = await refusalOf(open(url))
        return said === 'it was opened' ? undefined : said
      })
      expect(refusal).to.equal(
        'The database there cannot be used: the server refuses this user or password. Check DATABASE_URL and pg_hba.conf.',
      )
      await open(at('localhost', `sslmode=verify-full&sslrootcert=${ours}`))
    } finally {
      writeFileSync(String(file), before)
      const address = at('localhost', 'sslmode=no-verify')
      const connections = connectionsTo(address, 1)
      await connections.read('SELECT pg_reload_conf()')
      await connections.close()
      await eventually('the server no longer requires TLS', async () =>
        (await refusalOf(open(url))) === 'it was opened' ? true : undefined,
      )
    }
  })

  it('carries announcements too', async () => {
    const address = at('localhost', `sslmode=verify-full&sslrootcert=${ours}`)
    const announcements = postgresAnnouncements(address)
    let heard = 0
    announcements.onKeysChanged(() => {
      heard += 1
    })
    await eventually('it listens', async () => heard || undefined)
    await server.ask('NOTIFY portcullis_keys', new URL(url).pathname.slice(1))
    await eventually('it hears', async () => (heard > 1 ? heard : undefined))
    await announcements.close()
  })

  it('checks the name of each host of a list, and leaves out a host with a wrong one', async () => {
    const port = server.port
    const listed = (...hosts: ReadonlyArray<string>) =>
      url.replace(`127.0.0.1:${port}`, hosts.map((host) => `${host}:${port}`).join()) +
      `?sslmode=verify-full&sslrootcert=${ours}`
    const connections = connectionsTo(url, 1)
    try {
      expect(await notificationProblem(connections, listed('127.0.0.1', '[::1]'))).to.match(
        /^127\.0\.0\.1:\d+: ERR_TLS_CERT_ALTNAME_INVALID, \[::1\]:\d+: E/,
      )
      expect(await notificationProblem(connections, listed('127.0.0.1', 'localhost'))).to.equal(undefined)
    } finally {
      await connections.close()
    }
  })

  it('causes no warnings between the lines of the log', () => {
    expect(warnings).to.deep.equal([])
  })
})

const makeCertificate = (certificate: string, key: string): void => {
  const words =
    'req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -days 2 -subj /CN=localhost -addext subjectAltName=DNS:localhost'
  execFileSync('openssl', [...words.split(' '), '-keyout', key, '-out', certificate], { stdio: 'pipe' })
}

/** Gives a running server a certificate that its user can read. */
const speakTls = async (server: PostgresServer, certificate: Buffer, key: Buffer): Promise<void> => {
  const [{ data = '' } = {}] = await server.ask("SELECT current_setting('data_directory') AS data")
  const { uid, gid } = statSync(String(data))
  for (const [name, content] of [
    ['server.crt', certificate],
    ['server.key', key],
  ] as const) {
    const file = join(String(data), name)
    writeFileSync(file, content)
    chmodSync(file, 0o600)
    chownSync(file, uid, gid)
  }
  await server.ask('ALTER SYSTEM SET ssl = on')
  await server.ask('SELECT pg_reload_conf()')
  await eventually('the server offers TLS', async () => {
    const [setting] = await server.ask("SELECT FROM pg_settings WHERE name = 'ssl' AND setting = 'on'")
    return setting
  })
}
