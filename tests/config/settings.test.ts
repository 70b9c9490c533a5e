import { availableParallelism } from 'node:os'
import { expect } from 'chai'
import { left, right } from 'fp-ts/lib/Either.js'
import {
  SETTINGS,
  type Settings,
  settings,
  settingsFrom,
  WrongSettings,
} from '../../adapters/config/settings.ts'

const DEFAULTS: Settings = {
  host: '127.0.0.1',
  port: 8080,
  metricsPort: undefined,
  httpIdleTimeoutMs: 65_000,
  database: { kind: 'sqlite', path: './data/portcullis.db' },
  databasePoolSize: 10,
  databaseDirectUrl: undefined,
  publicUrl: 'http://127.0.0.1:8080',
  applicationTokenTtlSeconds: 3600,
  userTokenTtlSeconds: 43_200,
  idleTtlSeconds: undefined,
  sessionTtlSeconds: 43_200,
  rememberTtlSeconds: undefined,
  userTokenFormat: 'paseto',
  recoveryTtlSeconds: 3600,
  emailConfirmationTtlSeconds: 86_400,
  scrypt: { logN: 15, r: 8, p: 3 },
  peppers: [],
  keyEncryptionKeys: [],
  eventLogKeys: [],
  // The cores of the process minus one, from 1 to 3.
  hashing: { concurrency: [1, 1, 2][availableParallelism() - 1] ?? 3, maxWaitMs: 2000 },
  throttle: {
    accountFailures: 30,
    addressFailures: 300,
    tokensPerMinute: 0,
    recoveriesPerHour: 600,
    registrationsPerHour: 0,
    signInsPerMinute: 60,
    vouchedPerHour: 600,
    mailsPerHour: 600,
  },
  trustedProxies: 0,
  passwordPolicy: { kind: 'contract' },
  leakedPasswordsFile: undefined,
  secondFactors: false,
  passkeyRpId: undefined,
  pages: undefined,
  openid: false,
  identityProvidersFile: undefined,
  identityRegistration: false,
  mail: undefined,
  language: 'en',
  pagesFolder: undefined,
  readModel: undefined,
  logLevel: 'info',
  operator: undefined,
}

describe('the settings', () => {
  it('have these defaults', () => {
    expect(settingsFrom({})).to.deep.equal(right(DEFAULTS))
  })

  it('are the defaults if all are set, but empty', () => {
    const empty = Object.fromEntries(SETTINGS.map((name) => [name, '']))
    expect(settingsFrom(empty)).to.deep.equal(right(DEFAULTS))
  })

  it('ignore the variables of other programs', () => {
    expect(settingsFrom({ PATH: '/bin', PORTCULLIS: 'x', port: '1', Port: '1' })).to.deep.equal(
      right(DEFAULTS),
    )
  })

  const SET: ReadonlyArray<readonly [name: string, value: string, settings: Partial<Settings>]> = [
    ['PORT', '1', { port: 1, publicUrl: 'http://127.0.0.1:1' }],
    ['PORT', '65535', { port: 65_535, publicUrl: 'http://127.0.0.1:65535' }],
    ['METRICS_PORT', '9464', { metricsPort: 9464 }],
    ['HTTP_IDLE_TIMEOUT', '620', { httpIdleTimeoutMs: 620_000 }],
    ['HOST', '0.0.0.0', { host: '0.0.0.0', publicUrl: 'http://0.0.0.0:8080' }],
    ['HOST', 'auth.example.com', { host: 'auth.example.com', publicUrl: 'http://auth.example.com:8080' }],
    ['HOST', '::1', { host: '::1', publicUrl: 'http://[::1]:8080' }],
    ['DATABASE_URL', 'memory:', { database: { kind: 'memory' } }],
    ['DATABASE_URL', 'sqlite:portcullis.db', { database: { kind: 'sqlite', path: 'portcullis.db' } }],
    ['DATABASE_URL', 'sqlite:/var/a b/c.db', { database: { kind: 'sqlite', path: '/var/a b/c.db' } }],
    [
      'DATABASE_URL',
      'postgres://ada:secret@db.example.com:5433/auth?sslmode=verify-full',
      {
        database: {
          kind: 'postgres',
          url: 'postgres://ada:secret@db.example.com:5433/auth?sslmode=verify-full',
          place: 'postgres://db.example.com:5433/auth',
        },
      },
    ],
    [
      'DATABASE_URL',
      'postgresql://db/auth',
      { database: { kind: 'postgres', url: 'postgresql://db/auth', place: 'postgres://db/auth' } },
    ],
    ['PUBLIC_URL', 'https://auth.example.com', { publicUrl: 'https://auth.example.com' }],
    ['APPLICATION_TOKEN_TTL', '60', { applicationTokenTtlSeconds: 60 }],
    ['USER_TOKEN_TTL', '31536000', { userTokenTtlSeconds: 31_536_000, sessionTtlSeconds: 31_536_000 }],
    ['SESSION_IDLE_TTL', '1', { idleTtlSeconds: 1 }],
    ['SESSION_TTL', '31536000', { sessionTtlSeconds: 31_536_000 }],
    ['SESSION_REMEMBER_TTL', '31536000', { rememberTtlSeconds: 31_536_000 }],
    ['RECOVERY_TTL', '86400', { recoveryTtlSeconds: 86_400 }],
    ['EMAIL_CONFIRMATION_TTL', '1', { emailConfirmationTtlSeconds: 1 }],
    ['SCRYPT_LOG_N', '17', { scrypt: { logN: 17, r: 8, p: 3 } }],
    ['SCRYPT_R', '16', { scrypt: { logN: 15, r: 16, p: 3 } }],
    ['SCRYPT_P', '1', { scrypt: { logN: 15, r: 8, p: 1 } }],
    ['HASHING_CONCURRENCY', '1', { hashing: { concurrency: 1, maxWaitMs: 2000 } }],
    ['HASHING_WAIT', '0', { hashing: { ...DEFAULTS.hashing, maxWaitMs: 0 } }],
    ['LOG_LEVEL', 'debug', { logLevel: 'debug' }],
    ['OPERATOR', 'Ada Lovelace', { operator: 'Ada Lovelace' }],
    ['OPERATOR', 'x'.repeat(100), { operator: 'x'.repeat(100) }],
    ['LOG_LEVEL', 'silent', { logLevel: 'silent' }],
    ['PASSWORD_POLICY', 'contract', {}],
    ['THROTTLE_ACCOUNT_FAILURES', '1', { throttle: { ...DEFAULTS.throttle, accountFailures: 1 } }],
    [
      'THROTTLE_ADDRESS_FAILURES',
      '1000000',
      { throttle: { ...DEFAULTS.throttle, addressFailures: 1_000_000 } },
    ],
    ['THROTTLE_APPLICATION_TOKENS', '0', {}],
    ['THROTTLE_RECOVERIES', '20', { throttle: { ...DEFAULTS.throttle, recoveriesPerHour: 20 } }],
    ['THROTTLE_REGISTRATIONS', '0', {}],
    ['THROTTLE_REGISTRATIONS', '60', { throttle: { ...DEFAULTS.throttle, registrationsPerHour: 60 } }],
    ['THROTTLE_SIGN_INS', '5', { throttle: { ...DEFAULTS.throttle, signInsPerMinute: 5 } }],
    ['THROTTLE_VOUCHED', '7', { throttle: { ...DEFAULTS.throttle, vouchedPerHour: 7 } }],
    ['THROTTLE_APPLICATION_TOKENS', '600', { throttle: { ...DEFAULTS.throttle, tokensPerMinute: 600 } }],
    ['TRUST_PROXY', '16', { trustedProxies: 16 }],
    ['SECOND_FACTORS', 'off', {}],
    ['ACCOUNT_PAGES', 'off', {}],
    ['OPENID', 'off', {}],
    ['IDENTITY_REGISTRATION', 'off', {}],
    ['PAGES_REGISTRATION', 'off', {}],
    ['PASSWORD_POLICY', 'nist', { passwordPolicy: { kind: 'nist', minCodePoints: 15 } }],
  ]
  for (const [name, value, changed] of SET) {
    it(`accept ${name}=${value}`, () => {
      expect(settingsFrom({ [name]: value })).to.deep.equal(right({ ...DEFAULTS, ...changed }))
    })
  }

  const INTEGERS: ReadonlyArray<readonly [name: string, min: number, max: number]> = [
    ['PORT', 1, 65_535],
    ['METRICS_PORT', 1, 65_535],
    ['HTTP_IDLE_TIMEOUT', 1, 86_400],
    ['APPLICATION_TOKEN_TTL', 1, 31_536_000],
    ['USER_TOKEN_TTL', 1, 31_536_000],
    ['RECOVERY_TTL', 1, 86_400],
    ['EMAIL_CONFIRMATION_TTL', 1, 86_400],
    ['SCRYPT_LOG_N', 1, 18],
    ['SCRYPT_R', 2, 32],
    ['SCRYPT_P', 1, 16],
    ['HASHING_CONCURRENCY', 1, 3],
    ['HASHING_WAIT', 0, 3600],
  ]
  const NO_INTEGERS = [
    'x',
    '-1',
    '+1',
    '1.5',
    '1e3',
    '0x10',
    ' 1',
    '1 ',
    '1\n',
    'NaN',
    'Infinity',
    '１',
    '99999999999',
  ]
  for (const [name, min, max] of INTEGERS) {
    it(`accept ${name} from ${min} to ${max}, in decimal digits only`, () => {
      expect(settingsFrom({ [name]: String(min) })._tag).to.equal('Right')
      expect(settingsFrom({ [name]: String(max) })._tag).to.equal('Right')
      for (const value of [...NO_INTEGERS, String(min - 1), String(max + 1)]) {
        const shown = value === '１' ? '"\\uff11"' : JSON.stringify(value)
        const wrong = left([`${name} must be a whole number from ${min} to ${max}, got ${shown}`])
        expect(settingsFrom({ [name]: value }), value).to.deep.equal(wrong)
      }
    })
  }

  const WRONG: ReadonlyArray<readonly [name: string, values: ReadonlyArray<string>, rule: string]> = [
    [
      'HOST',
      ['a:b', '999.999.999.999', 'a b', 'http://host', 'host/path', 'a,b', '[::1]', '\n'],
      'an IP address or a host name',
    ],
    [
      'DATABASE_URL',
      [
        'sqlite',
        'memory',
        'memory:x',
        'SQLITE:x',
        './data.db',
        'mysql://host/db',
        'postgres://host',
        'postgres:///db',
        'postgres://host/db#x',
        ' postgres://host/db',
      ],
      'memory:, sqlite:PATH or postgres://USER:PASSWORD@HOST:PORT/DATABASE',
    ],
    [
      'LOG_LEVEL',
      ['verbose', 'INFO', 'info ', 'toString'],
      'one of trace, debug, info, warn, error, fatal, silent',
    ],
    ['THROTTLE_ACCOUNT_FAILURES', ['0', '1000001', 'off'], 'a whole number from 1 to 1000000'],
    ['THROTTLE_ADDRESS_FAILURES', ['0', '-1', '1e3'], 'a whole number from 1 to 1000000'],
    ['OPERATOR', ['ada\nlovelace', '\u0007', ' ', '\ud800'], '1 to 100 printable characters'],
    ['READ_MODEL', [':memory:', ' a', 'a\n'], 'the path of a file'],
    ['THROTTLE_RECOVERIES', ['0', '-1', '1e3', '1000001'], 'a whole number from 1 to 1000000'],
    ['THROTTLE_SIGN_INS', ['0', '1e3', '1000001'], 'a whole number from 1 to 1000000'],
    ['THROTTLE_VOUCHED', ['0', '1e3', '1000001'], 'a whole number from 1 to 1000000'],
    ['THROTTLE_REGISTRATIONS', ['-1', '1e3', '1000001'], 'a whole number from 0 to 1000000'],
    ['THROTTLE_APPLICATION_TOKENS', ['-1', '1e3', '1000001'], 'a whole number from 0 to 1000000'],
    ['TRUST_PROXY', ['17', 'true', '10.0.0.0/8'], 'a whole number from 0 to 16'],
    ['SECOND_FACTORS', ['ON', 'true', '1'], 'one of off, on'],
    ['PASSWORD_POLICY', ['NIST', 'CONTRACT', 'none', 'toString'], 'one of contract, nist'],
  ]
  const shownOf = (name: string, value: string): string => {
    if (name !== 'DATABASE_URL') return JSON.stringify(value)
    const scheme = /^\w+:\/\//.exec(value)?.[0]
    const shown = scheme === undefined ? 'something else' : `"${scheme}..."`
    return `${shown} (not shown in full, because it may contain a password)`
  }
  for (const [name, values, rule] of WRONG) {
    for (const value of values) {
      it(`refuse ${name}=${JSON.stringify(value)}`, () => {
        expect(settingsFrom({ [name]: value })).to.deep.equal(
          left([`${name} must be ${rule}, got ${shownOf(name, value)}`]),
        )
      })
    }
  }

  it('refuse a path of SQLite that is empty or begins with a colon', () => {
    for (const value of ['sqlite:', 'sqlite::memory:'])
      expect(settingsFrom({ DATABASE_URL: value }), value).to.deep.equal(
        left([
          'DATABASE_URL must be sqlite:PATH, where PATH is not empty, has no space at its ends and does not begin with a colon',
        ]),
      )
  })

  it('are all reported at once, each by its name', () => {
    const wrong = settingsFrom(Object.fromEntries(EVERY_NAME.map((name) => [name, '?'])))
    const names = wrong._tag === 'Left' ? wrong.left.map((sentence) => sentence.split(' ')[0]) : []
    expect(names).to.have.members(EVERY_NAME)
  })

  it('are returned, or thrown as one error that lists every wrong one', () => {
    expect(settings({})).to.deep.equal(DEFAULTS)
    expect(() => settings({ PORT: 'abc', SCRYPT_R: '1' })).to.throw(
      WrongSettings,
      /^These settings are wrong:\n {2}PORT must be .*, got "abc"\n {2}SCRYPT_R must be .*, got "1"$/,
    )
  })
})

/** They may be `?`, and the file of `DATABASE_URL` is refused under that name. */
const OTHERS = [
  ...['OPERATOR', 'READ_MODEL', 'PAGES_NAME', 'PAGES_FOLDER', 'IDENTITY_PROVIDERS_FILE'],
  'DATABASE_URL_FILE',
]
const EVERY_NAME = SETTINGS.filter((name) => !OTHERS.includes(name))
