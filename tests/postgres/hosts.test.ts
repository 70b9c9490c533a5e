import { expect } from 'chai'
import pg from 'pg'
import { driverUrlsOf, hostsOf } from '../../adapters/config/addresses/postgres-hosts.ts'
import { openDatabase } from '../../adapters/stores/postgres/database.ts'
import { describeOnPostgres, PLACE } from './database.ts'

/** What the driver reads from each URL. */
const readByDriver = (url: string) =>
  driverUrlsOf(url).map((each) => {
    const { host, port, user, password, database, ssl } = new pg.Client(each)
    return { host, port, user, password, database, ssl }
  })

/** Each character that may be escaped, except ? and #. */
const NAME = 'a@b:c/d&e=f+g$h,i;j é%40 "k"'

describe('a PostgreSQL URL with several hosts', () => {
  const SHARED = { user: 'ada', password: 'secret', database: 'auth', ssl: false }
  const READ: ReadonlyArray<
    readonly [name: string, url: string, hosts: ReadonlyArray<readonly [string, number]>, changed?: object]
  > = [
    ['one host', 'postgres://ada:secret@one/auth', [['one', 5432]]],
    [
      'hosts with ports, in their order',
      'postgres://ada:secret@two:5433,one:5432,three:5434/auth',
      [
        ['two', 5433],
        ['one', 5432],
        ['three', 5434],
      ],
    ],
    [
      'a port that belongs to one host only',
      'postgres://ada:secret@one,two:5433/auth',
      [
        ['one', 5432],
        ['two', 5433],
      ],
    ],
    [
      'IPv6 addresses',
      'postgres://ada:secret@[::1]:5433,[fd00::2]/auth',
      [
        ['::1', 5433],
        ['fd00::2', 5432],
      ],
    ],
    [
      'commas and @ in the password',
      'postgres://ada:one,two@3,%2C@one,two/auth',
      [
        ['one', 5432],
        ['two', 5432],
      ],
      { password: 'one,two@3,,' },
    ],
    [
      'parameters, also with commas',
      'postgres://ada:secret@one,two/auth?options=-c%20a%3Db,c&sslmode=no-verify',
      [
        ['one', 5432],
        ['two', 5432],
      ],
      { ssl: { rejectUnauthorized: false } },
    ],
    [
      'escapes in the name of the database, and no other ones',
      `postgres://ada:secret@one,two/${encodeURIComponent(NAME)}?options=a%40b`,
      [
        ['one', 5432],
        ['two', 5432],
      ],
      { database: NAME },
    ],
  ]
  for (const [name, url, hosts, changed] of READ) {
    it(`becomes one URL per host that the driver can read: ${name}`, () => {
      expect(readByDriver(url)).to.deep.equal(
        hosts.map(([host, port]) => ({ ...SHARED, host, port, ...changed })),
      )
    })
  }

  for (const [given, left] of [
    ['?target_session_attrs=read-write', ''],
    ['?target_session_attrs=primary&sslmode=verify-full', '?sslmode=verify-full'],
    ['?sslmode=verify-full&target_session_attrs=primary', '?sslmode=verify-full'],
    ['?options=a&target_session_attrs=read-write&sslmode=disable', '?options=a&sslmode=disable'],
    ['?options=target_session_attrs', '?options=target_session_attrs'],
  ] as const) {
    it(`loses target_session_attrs and nothing else: ${given}`, () => {
      expect(hostsOf(`postgres://ada@one:1,two:2/auth${given}`)).to.deep.equal([
        `postgres://ada@one:1/auth${left}`,
        `postgres://ada@two:2/auth${left}`,
      ])
    })
  }

  it('stays as it is with one host', () => {
    for (const url of ['postgres://a:p@ss@[::1]:1/auth?host=/var/run', 'postgres://server', '/var/run auth'])
      expect(hostsOf(url)).to.deep.equal([url])
  })
})

describeOnPostgres('a PostgreSQL database with special characters in its name', (server) => {
  it('is opened by its escaped name', async () => {
    const quoted = `"${NAME.replaceAll('"', '""')}"`
    const { url, drop } = await server.newDatabase()
    await drop()
    await server.ask(`CREATE DATABASE ${quoted} ENCODING 'UTF8' TEMPLATE template0`)
    await openDatabase({ url: url.replace(/\w+$/, encodeURIComponent(NAME)), place: PLACE })
    await server.ask(`DROP DATABASE ${quoted}`)
  })
})
