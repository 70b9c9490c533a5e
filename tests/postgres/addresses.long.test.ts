import { mkdtempSync, rmSync } from 'node:fs'
import { chmod } from 'node:fs/promises'
import { networkInterfaces, tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect } from 'chai'
import { openDatabase } from '../../adapters/stores/postgres/database.ts'
import { freePort } from '../support/command.ts'
import { type PostgresServer, startPostgresServer } from '../support/postgres-server.ts'
import { settings } from '../support/settings.ts'
import { describeOnPostgres, newRole, PASSWORD, refusalOf, type TestDatabase } from './database.ts'

const REACH = 'Check that PostgreSQL runs there and accepts this machine, and check DATABASE_URL.'
const WRONG_USER = 'the server refuses this user or password. Check DATABASE_URL and pg_hba.conf.'

const port = (value: number) => (url: string) => url.replace(/:\d+\//, `:${value}/`)

/** How each case changes the correct URL, and the resulting message. */
const REFUSED: ReadonlyArray<
  readonly [name: string, url: (url: string) => string | Promise<string>, sentence: string | RegExp]
> = [
  [
    'a port where no server listens',
    async (url) => port(await freePort())(url),
    `it cannot be reached (ECONNREFUSED). ${REACH}`,
  ],
  [
    'such a port under a hostname with several addresses',
    async (url) => port(await freePort())(url.replace('127.0.0.1', 'localhost')),
    `it cannot be reached (ECONNREFUSED). ${REACH}`,
  ],
  [
    'an unknown host',
    (url) => url.replace('127.0.0.1', 'nowhere.invalid'),
    /^it cannot be reached \((ENOTFOUND|EAI_AGAIN)\)\. Check that/,
  ],
  ['a missing socket', (url) => `${url}?host=/nowhere`, `it cannot be reached (ENOENT). ${REACH}`],
  ['a wrong password', (url) => url.replace(/:[^/:]*@/, ':wrong@'), WRONG_USER],
  ['an unknown user', (url) => url.replace('//', '//not_'), WRONG_USER],
  [
    'a missing database',
    (url) => url.replace(/\w+$/, 'nowhere'),
    'no database has this name. Create it (CREATE DATABASE), or name another one in DATABASE_URL.',
  ],
  [
    'options that acknowledge commits before they are durable',
    (url) => `${url}?options=-c%20synchronous_commit%3Doff`,
    /^synchronous_commit is off, so that answered changes could be lost\./,
  ],
  [
    'a certificate file that does not exist',
    (url) => `${url}?sslmode=verify-full&sslrootcert=/nowhere/ca.pem`,
    'a file that DATABASE_URL names cannot be read (ENOENT). Check sslrootcert, sslcert and sslkey.',
  ],
  [
    'a folder as a certificate',
    (url) => `${url}?sslmode=verify-full&sslrootcert=/`,
    'a file that DATABASE_URL names cannot be read (EISDIR). Check sslrootcert, sslcert and sslkey.',
  ],
  [
    'TLS to a server without TLS',
    (url) => `${url}?sslmode=verify-full`,
    'the server does not support TLS. Turn ssl on there, or remove sslmode from DATABASE_URL.',
  ],
]

/** Other addresses of the same database. */
const TAKEN: ReadonlyArray<readonly [name: string, url: (url: string, folder: string) => string]> = [
  ['the correct address', (url) => url],
  ['its name', (url) => url.replace('127.0.0.1', 'localhost')],
  ['the other protocol name', (url) => url.replace('postgres:', 'postgresql:')],
  ['options', (url) => `${url}?options=-c%20search_path%3Dnowhere`],
  ['a socket beside a host', (url, folder) => `${url}?host=${folder}`],
  ['a socket as the host', (url, folder) => url.replace('127.0.0.1', encodeURIComponent(folder))],
  ...(Object.values(networkInterfaces()).some((all) => all?.some(({ address }) => address === '::1'))
    ? [['an IPv6 address', (url: string) => url.replace('127.0.0.1', '[::1]')] as const]
    : []),
]

describeOnPostgres('an address in DATABASE_URL', () => {
  let server: PostgresServer
  let database: TestDatabase
  let url: string
  const folder = mkdtempSync(join(tmpdir(), 'portcullis-socket-'))
  before(async function () {
    this.timeout(60_000)
    await chmod(folder, 0o777)
    server = await startPostgresServer(
      '-c',
      `unix_socket_directories=${folder}`,
      '-c',
      'listen_addresses=127.0.0.1,::1',
    )
    const made = await server.newDatabase()
    const name = new URL(made.url).pathname.slice(1)
    database = { url: made.url, name, ask: (sql) => server.ask(sql, name) }
    const owner = await newRole(server, database)
    url = owner.url
    await server.ask(`ALTER DATABASE ${name} OWNER TO ${owner.role}`)
  })
  after(async function () {
    this.timeout(60_000)
    await server.remove()
    rmSync(folder, { recursive: true, force: true })
  })

  /** The settings of a service for this database. */
  const opened = (address: string, patienceMs?: number): Promise<void> => {
    const { database } = settings({ DATABASE_URL: address })
    if (database.kind !== 'postgres') throw new Error('not a PostgreSQL URL')
    return openDatabase(database, { timeoutMs: patienceMs })
  }

  for (const [name, change, sentence] of REFUSED) {
    it(`is refused with one sentence without the password: ${name}`, async () => {
      const refusal = await refusalOf(opened(await change(url), 0))
      const [, said = ''] =
        /^The database postgres:\/\/[^/?@]+\/\w+(?: in \/nowhere)? cannot be used: (.*)$/.exec(refusal) ?? []
      if (typeof sentence === 'string') expect(said, refusal).to.equal(sentence)
      else expect(said, refusal).to.match(sentence)
      for (const secret of [PASSWORD, encodeURIComponent(PASSWORD), 'somebody'])
        expect(refusal).not.to.include(secret)
      expect(await database.ask("SELECT FROM pg_namespace WHERE nspname = 'portcullis'")).to.deep.equal([])
    })
  }

  for (const [name, change] of TAKEN) {
    it(`is accepted with a password of special characters: ${name}`, () => opened(change(url, folder)))
  }

  it('is refused at once if waiting cannot help', async () => {
    const wrong = [
      url.replace(/:[^/:]*@/, ':wrong@'),
      url.replace(/\w+$/, 'nowhere'),
      `${url}?sslmode=verify-full`,
      `${url}?sslmode=verify-full&sslrootcert=/nowhere/ca.pem`,
    ]
    for (const address of wrong)
      expect(await refusalOf(opened(address, 600_000))).to.include('cannot be used')
  })

  it('is retried while the server starts', async () => {
    await server.stop()
    const opening = opened(url, 60_000)
    await server.start()
    await opening
  }).timeout(60_000)
})
