import { expect } from 'chai'
import { left } from 'fp-ts/lib/Either.js'
import { databaseText, type Settings, settingsFrom } from '../../adapters/config/settings.ts'

const DATABASE_URL = 'postgres://ada:secret@pooler:6432/auth'

const read = (environment: Record<string, string>): Settings => {
  const made = settingsFrom(environment)
  if (made._tag === 'Left') throw new Error(made.left.join('; '))
  return made.right
}

describe('the settings of PostgreSQL', () => {
  it('are accepted beside its URL', () => {
    const direct = 'postgres://ada:secret@server:5432/auth'
    const { databasePoolSize, databaseDirectUrl } = read({
      DATABASE_URL,
      DATABASE_POOL_SIZE: '25',
      DATABASE_DIRECT_URL: direct,
    })
    expect([databasePoolSize, databaseDirectUrl]).to.deep.equal([25, direct])
  })

  const URL_RULE = 'must be postgres://USER:PASSWORD@HOST:PORT/DATABASE, got'
  const HIDDEN = '(not shown in full, because it may contain a password)'
  const WRONG: ReadonlyArray<readonly [name: string, value: string, message: string]> = [
    ['DATABASE_POOL_SIZE', '1', 'must be a whole number from 2 to 1000, got "1"'],
    ['DATABASE_POOL_SIZE', '1001', 'must be a whole number from 2 to 1000, got "1001"'],
    ['DATABASE_DIRECT_URL', 'sqlite:a.db', `${URL_RULE} something else ${HIDDEN}`],
    ['DATABASE_DIRECT_URL', 'postgres://ada:secret@server', `${URL_RULE} "postgres://..." ${HIDDEN}`],
    // The slash is not escaped, so the secret would be the database.
    ['DATABASE_DIRECT_URL', 'postgres://ada:12/secret@server', `${URL_RULE} "postgres://..." ${HIDDEN}`],
  ]
  for (const [name, value, rule] of WRONG) {
    it(`refuse ${name}=${value}`, () => {
      expect(settingsFrom({ DATABASE_URL, [name]: value })).to.deep.equal(left([`${name} ${rule}`]))
    })
  }

  for (const [name, value] of [
    ['DATABASE_POOL_SIZE', '25'],
    ['DATABASE_DIRECT_URL', DATABASE_URL],
  ] as const) {
    it(`refuse ${name} beside another store`, () => {
      const sentence = `${name} requires a PostgreSQL DATABASE_URL. Set that, or remove ${name}`
      expect(settingsFrom({ [name]: value })).to.deep.equal(left([sentence]))
      expect(settingsFrom({ [name]: value, DATABASE_URL: 'memory:' })).to.deep.equal(left([sentence]))
    })
  }

  const PARAMETERS =
    'has a wrong parameter. After the ?, postgres://USER:PASSWORD@HOST:PORT/DATABASE may have each of these once: sslmode (verify-full, no-verify or disable), sslrootcert, sslcert, sslkey, options, target_session_attrs (read-write or primary), and host with the folder of a socket'
  const ENCODING =
    'has a wrong escape. In postgres://USER:PASSWORD@HOST:PORT/DATABASE, write special characters as %XX (% as %25)'
  const SEVERAL = `must be postgres://USER:PASSWORD@HOST:PORT,HOST:PORT/DATABASE with at most 8 hosts, got "postgres://..." ${HIDDEN}`
  const TARGET =
    'has a wrong target_session_attrs. Write target_session_attrs=read-write or remove it: the service needs the primary'
  const SOCKET = 'has several hosts and the parameter host. Remove that parameter, or name one host'
  const REFUSED: ReadonlyArray<readonly [url: string, rule: string]> = [
    ['postgres://ada:secret@one,,two/auth', SEVERAL],
    ['postgres://ada:secret@one,/auth', SEVERAL],
    ['postgres://one,:5432/auth', SEVERAL],
    ['postgres://one,/auth', SEVERAL],
    ['postgres://ada:secret@one, two/auth', SEVERAL],
    ['postgres://ada:secret@one:5432,two:99999/auth', SEVERAL],
    ['postgres://ada:secret@one:543x,two/auth', SEVERAL],
    ['postgres://ada:secret@::1,::2/auth', SEVERAL],
    ['postgres://ada:secret@one,two', SEVERAL],
    ['postgres://ada:secret@one,two/auth#x', SEVERAL],
    [`postgres://ada:secret@${Array(9).fill('host')}/auth`, SEVERAL],
    ['postgres://ada:%zz@one,two/auth', ENCODING],
    ['postgres://ada:secret@one,two/auth?ssl=true', PARAMETERS],
    ['postgres://ada:secret@one,two/auth?port=1,2', PARAMETERS],
    ['postgres://ada:secret@one,two/auth?load_balance_hosts=random', PARAMETERS],
    ['postgres://ada:secret@localhost,two/auth?host=/var/run&target_session_attrs=primary', SOCKET],
    ['postgres://ada:secret@one,two/auth?target_session_attrs=any', TARGET],
    ['postgres://ada:secret@one,two/auth?target_session_attrs=prefer-standby', TARGET],
    ['postgres://ada:secret@one,two/auth?target_session_attrs=', TARGET],
    ['postgres://ada:secret@server/auth?sslmode=disable&target_session_attrs=standby', TARGET],
    ['postgres://ada:secret@one,two/auth?targetServerType=primary', PARAMETERS],
    [
      'postgres://ada:secret@one,two/auth?target_session_attrs=primary&target_session_attrs=read-write',
      PARAMETERS,
    ],
    ['postgres://ada:secret@server/a%3Fb', 'has a database name with ? or #. Rename the database'],
    ['postgres://ada:secret@one,two/a%23b', 'has a database name with ? or #. Rename the database'],
    ['postgres://ada:100%@server/auth', ENCODING],
    ['postgres://ada:%zz@server/auth', ENCODING],
    ['postgres://a%2fda:%zz@server/auth', ENCODING],
    ['postgres://ada:%ff@server/auth', ENCODING],
    ['postgres://%ff:secret@server/auth', ENCODING],
    ['postgres://ada:secret@server/%c3', ENCODING],
    ['postgres://ada:secret@server/auth?sslrootcert=100%', ENCODING],
    ['postgres://ada:secret@server/auth?sslmode=require', PARAMETERS],
    ['postgres://ada:secret@server/auth?sslmode=prefer', PARAMETERS],
    ['postgres://ada:secret@server/auth?sslmode=verify-ca', PARAMETERS],
    ['postgres://ada:secret@server/auth?sslmode=', PARAMETERS],
    ['postgres://ada:secret@server/auth?sslmode=verify-full&sslmode=disable', PARAMETERS],
    ['postgres://ada:secret@server/auth?ssl_mode=verify-full', PARAMETERS],
    ['postgres://ada:secret@server/auth?SSLMODE=verify-full', PARAMETERS],
    ['postgres://ada:secret@server/auth?ssl=true', PARAMETERS],
    ['postgres://ada@server/auth?password=secret', PARAMETERS],
    ['postgres://ada@server/auth?user=eve', PARAMETERS],
    ['postgres://ada:secret@server/auth?host=elsewhere', PARAMETERS],
    ['postgres://ada:secret@server/auth?port=1', PARAMETERS],
    ['postgres://ada:secret@server/auth?query_timeout=1', PARAMETERS],
    ['postgres://ada:secret@server/auth?uselibpqcompat=true', PARAMETERS],
    ['postgres://ada:secret@server/auth?toString=1', PARAMETERS],
    ['postgres://ada:secret@server/auth?__proto__=1', PARAMETERS],
  ]
  for (const [url, rule] of REFUSED) {
    it(`refuse a URL and name the error: ${url}`, () => {
      expect(settingsFrom({ DATABASE_URL: url })).to.deep.equal(left([`DATABASE_URL ${rule}`]))
      expect(settingsFrom({ DATABASE_URL, DATABASE_DIRECT_URL: url })).to.deep.equal(
        left([`DATABASE_DIRECT_URL ${rule}`]),
      )
    })
  }

  const BASE = 'postgres://ada:secret@server/auth'
  const MODE = 'PGSSLMODE must be verify-full, no-verify or disable, got'

  /** What the driver or libpq would take from the environment. */
  const REFUSED_VARIABLES: ReadonlyArray<readonly [name: string, value: string, sentence: string]> = [
    ['PGSSLMODE', 'verify_full', `${MODE} "verify_full"`],
    ['PGSSLMODE', 'require', `${MODE} "require"`],
    ['PGSSLMODE', 'VERIFY-FULL', `${MODE} "VERIFY-FULL"`],
    ['PGSSLMODE', 'verify-full ', `${MODE} "verify-full "`],
    [
      'PGSSLROOTCERT',
      '/ca.pem',
      'PGSSLROOTCERT has no effect here. Write sslrootcert into DATABASE_URL instead. Unset it',
    ],
    ['PGSSLCERT', 'a', 'PGSSLCERT has no effect here. Write sslcert into DATABASE_URL instead. Unset it'],
    ['PGSSLKEY', 'a', 'PGSSLKEY has no effect here. Write sslkey into DATABASE_URL instead. Unset it'],
    ...(
      [
        ['PGSSLCRL', 'a'],
        ['PGSSLCRLDIR', 'a'],
        ['PGSSLMINPROTOCOLVERSION', 'TLSv1.3'],
        ['PGSSLNEGOTIATION', 'direct'],
        ['PGREQUIRESSL', '1'],
        ['PGREQUIREAUTH', 'scram-sha-256'],
        ['PGREQUIREPEER', 'postgres'],
        ['PGCHANNELBINDING', 'require'],
        ['PGGSSENCMODE', 'require'],
        ['PGREPLICATION', 'database'],
      ] as const
    ).map(([name, value]) => [name, value, `${name} has no effect here. Unset it`] as const),
  ]
  for (const [name, value, sentence] of REFUSED_VARIABLES)
    it(`refuse the variable ${name}=${value}`, () => {
      const both = { DATABASE_URL: BASE, DATABASE_DIRECT_URL: BASE }
      expect(settingsFrom({ ...both, [name]: value })).to.deep.equal(
        left(
          sentence.includes('into DATABASE_URL')
            ? [sentence, sentence.replace('DATABASE_URL', 'DATABASE_DIRECT_URL')]
            : [sentence],
        ),
      )
      expect(settingsFrom({ DATABASE_URL: 'memory:', [name]: value })).to.deep.equal(
        settingsFrom({ DATABASE_URL: 'memory:' }),
      )
    })

  const TAKEN_VARIABLES: ReadonlyArray<readonly [name: string, value: string, url: string, taken: string]> = [
    ['PGSSLMODE', 'verify-full', BASE, `${BASE}?sslmode=verify-full`],
    ['PGSSLMODE', 'no-verify', `${BASE}?options=a`, `${BASE}?options=a&sslmode=no-verify`],
    ['PGSSLMODE', 'disable', `${BASE}?sslmode=verify-full`, `${BASE}?sslmode=verify-full`],
    ['PGSSLMODE', 'disable', `${BASE}?sslrootcert=a`, `${BASE}?sslrootcert=a`],
    ['PGSSLMODE', 'require', `${BASE}?sslmode=disable`, `${BASE}?sslmode=disable`],
    ['PGSSLMODE', '', BASE, BASE],
    ['PGSSLROOTCERT', 'b', `${BASE}?sslrootcert=a`, `${BASE}?sslrootcert=a`],
    ['PGSSLMINPROTOCOLVERSION', 'TLSv1.2', BASE, BASE],
    ['PGCHANNELBINDING', 'prefer', BASE, BASE],
    ['PGGSSENCMODE', 'disable', BASE, BASE],
    ['PGPASSWORD', 'another', BASE, BASE],
  ]
  for (const [name, value, url, taken] of TAKEN_VARIABLES)
    it(`accept the variable ${name}=${value} with ${url}`, () => {
      expect(read({ DATABASE_URL: url, [name]: value }).database).to.include({ url: taken })
    })

  const TAKEN: ReadonlyArray<readonly [url: string, place: string]> = [
    ['postgres://ada:p%40ss%3Aw%2Frd%3F%23%25zz@server:5432/auth', 'postgres://server:5432/auth'],
    ['postgresql://ada:p@ss@server/auth', 'postgres://server/auth'],
    ['postgres://ada:secret@[::1]:5432/auth', 'postgres://[::1]:5432/auth'],
    ['postgres://ada:secret@server/auth?', 'postgres://server/auth'],
    ['postgres://ada:secret@server/auth?sslmode=verify-full&sslrootcert=%2Fca.pem', 'postgres://server/auth'],
    [
      'postgres://ada:secret@server/auth?sslmode=no-verify&sslcert=a&sslkey=b&options=-c%20a%3Db',
      'postgres://server/auth',
    ],
    [
      'postgres://ada:secret@localhost/auth?host=/var/run/postgresql',
      'postgres://localhost/auth in /var/run/postgresql',
    ],
    ['postgres://ada:secret@%2Fvar%2Frun/auth', 'postgres://%2Fvar%2Frun/auth'],
    ['postgres://auth.example/auth', 'postgres://auth.example/auth'],
    ['postgres://ada:secret@server/a%40b%2Fc', 'postgres://server/a%40b%2Fc'],
    ['postgres://ada:secret@server/auth?target_session_attrs=primary', 'postgres://server/auth'],
    [
      'postgres://ada:secret@one:5432,two:5433/auth?target_session_attrs=read-write&sslmode=verify-full',
      'postgres://one:5432,two:5433/auth',
    ],
    ['postgres://ada:p,a@ss,x@one,two:5433/auth', 'postgres://one,two:5433/auth'],
    ['postgresql://ada@[::1]:5432,[fd00::2],three/auth', 'postgres://[::1]:5432,[fd00::2],three/auth'],
    [`postgres://ada@${Array(8).fill('host')}/auth`, `postgres://${Array(8).fill('host')}/auth`],
  ]
  for (const [url, place] of TAKEN) {
    it(`accept a URL and show it without secrets: ${url}`, () => {
      const settings = read({ DATABASE_URL: url })
      expect(settings.database).to.deep.equal({ kind: 'postgres', url, place })
      expect(databaseText(settings)).to.equal(place)
    })
  }
})
