import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect } from 'chai'
import { left } from 'fp-ts/lib/Either.js'
import { envFileOf, environmentOf, storeSourceOf, unknownNamesIn } from '../../adapters/config/environment.ts'
import { settingsFrom, WrongSettings } from '../../adapters/config/settings.ts'
import { settings } from '../support/settings.ts'

let folder = ''

const write = (name: string, content: string | Buffer): string => {
  const path = join(folder, name)
  writeFileSync(path, content)
  return path
}

const useTemporaryFolder = () => {
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'portcullis-config-'))
  })
  afterEach(() => rmSync(folder, { recursive: true }))
}

describe('the environment', () => {
  useTemporaryFolder()

  it('is that of the process without .env', () => {
    expect(environmentOf({ PORT: '1' }, envFileOf({}, folder))).to.deep.equal({ PORT: '1' })
  })

  it('contains the values of .env', () => {
    write('.env', '# where\nPORT=9000\nHOST="0.0.0.0"\n\nPUBLIC_URL=https://a.example/x # here\n')
    expect(environmentOf({}, envFileOf({}, folder))).to.deep.equal({
      PORT: '9000',
      HOST: '0.0.0.0',
      PUBLIC_URL: 'https://a.example/x',
    })
  })

  it('contains the first value of .env behind a byte order mark, and without the CR of its lines', () => {
    write('.env', '\ufeffPORT=9000\r\nHOST=0.0.0.0\r\n')
    expect(environmentOf({}, envFileOf({}, folder))).to.deep.equal({ PORT: '9000', HOST: '0.0.0.0' })
    expect(unknownNamesIn(envFileOf({}, folder))).to.deep.equal([])
  })

  it('cannot be read with a .env in UTF-16', () => {
    write('.env', Buffer.from('\ufeffPORT=9000\n', 'utf16le'))
    expect(() => environmentOf({}, envFileOf({}, folder))).to.throw('in UTF-8')
  })

  it('of the process overrides .env', () => {
    write('.env', 'PORT=9000\nHOST=0.0.0.0\n')
    expect(environmentOf({ PORT: '1', LANG: 'C' }, envFileOf({}, folder))).to.deep.equal({
      PORT: '1',
      HOST: '0.0.0.0',
      LANG: 'C',
    })
  })

  it('of the process also overrides the other name of a setting that may be in a file', () => {
    write(
      '.env',
      'DATABASE_URL=sqlite:./other.db\nKEY_ENCRYPTION_KEY_FILE=key\nIDENTITY_PROVIDERS_FILE=providers\n',
    )
    const set = { DATABASE_URL_FILE: 'url', KEY_ENCRYPTION_KEY: 'k' }
    expect(environmentOf(set, envFileOf({}, folder))).to.deep.equal({
      ...set,
      IDENTITY_PROVIDERS_FILE: 'providers',
    })
  })

  it('of the process does not override .env with empty values', () => {
    write('.env', 'PORT=9000\n')
    expect(environmentOf({ PORT: '', LANG: 'C' }, envFileOf({}, folder))).to.deep.equal({
      PORT: '9000',
      LANG: 'C',
    })
  })

  it('may name the file of a secret that another setting requires', () => {
    write('.env', `KEY_ENCRYPTION_KEY_FILE=${write('key', `2026:${'s'.repeat(32)}\n`)}\n`)
    expect(settings(environmentOf({ SECOND_FACTORS: 'on' }, envFileOf({}, folder)))).to.include({
      secondFactors: true,
    })
  })

  it('provides the settings', () => {
    write('.env', 'PORT=9000\nLOG_LEVEL=debug\n')
    const made = settings(environmentOf({ LOG_LEVEL: 'warn' }, envFileOf({}, folder)))
    expect(made).to.deep.include({ port: 9000, logLevel: 'warn' })
  })
})

describe('PORTCULLIS_ENV_FILE', () => {
  useTemporaryFolder()

  const READ: ReadonlyArray<readonly [what: string, named: string, port: string | undefined]> = [
    ['a file beside .env', 'own.env', '2'],
    ['a file by its absolute path', '/own.env', '2'],
    ['nothing, like an empty value', '', '1'],
    ['a device without content', '/dev/null', undefined],
  ]
  for (const [what, named, port] of READ)
    it(`can name ${what}`, () => {
      write('.env', 'PORT=1\n')
      const own = write('own.env', 'PORT=2\n')
      const file = envFileOf({ PORTCULLIS_ENV_FILE: named === '/own.env' ? own : named }, folder)
      expect(environmentOf({}, file).PORT).to.equal(port)
    })

  const REFUSED: Readonly<Record<string, (path: string) => void>> = {
    'that is missing': () => {},
    'that is a folder': (path) => mkdirSync(path),
    'in UTF-16': (path) => writeFileSync(path, Buffer.from('\ufeffPORT=1\n', 'utf16le')),
  }
  for (const [what, lay] of Object.entries(REFUSED))
    it(`cannot name a file ${what}`, () => {
      const path = join(folder, 'own.env')
      lay(path)
      expect(() => envFileOf({ PORTCULLIS_ENV_FILE: 'own.env' }, folder)).to.throw(
        WrongSettings,
        `PORTCULLIS_ENV_FILE names ${path}, which cannot be read. Name a readable file in UTF-8.`,
      )
    })

  it('has no effect in the file itself', () => {
    write('own.env', 'PORT=2\n')
    write('.env', 'PORTCULLIS_ENV_FILE=own.env\n')
    const file = envFileOf({}, folder)
    expect(environmentOf({}, file).PORT).to.equal(undefined)
    expect(unknownNamesIn(file)).to.deep.equal(['PORTCULLIS_ENV_FILE'])
  })
})

describe('the source of the name of the store', () => {
  const [PROCESS, FILE] = [false, true]
  const SOURCES: ReadonlyArray<
    readonly [
      environment: Readonly<Record<string, string>>,
      values: Readonly<Record<string, string>>,
      source: readonly [setting: string, isInFile: boolean] | undefined,
    ]
  > = [
    [{}, {}, undefined],
    [{ PORT: '1' }, { PORT: '2' }, undefined],
    [{ DATABASE_URL: 'memory:' }, {}, ['DATABASE_URL', PROCESS]],
    [{ DATABASE_URL_FILE: 'x' }, {}, ['DATABASE_URL_FILE', PROCESS]],
    [{}, { DATABASE_URL: 'memory:' }, ['DATABASE_URL', FILE]],
    [{}, { DATABASE_URL_FILE: 'x' }, ['DATABASE_URL_FILE', FILE]],
    [{ DATABASE_URL: 'memory:' }, { DATABASE_URL: 'sqlite:x' }, ['DATABASE_URL', PROCESS]],
    [{ DATABASE_URL: '' }, { DATABASE_URL: 'sqlite:x' }, ['DATABASE_URL', FILE]],
    [{}, { DATABASE_URL: '' }, undefined],
  ]
  for (const [environment, values, source] of SOURCES)
    it(`of ${JSON.stringify(environment)} over ${JSON.stringify(values)} is ${source?.[0] ?? 'the default'}`, () => {
      const found = storeSourceOf(environment, { name: '.env', path: '/.env', isNamed: false, values })
      expect(found && [found.setting, found.isInFile]).to.deep.equal(source)
    })
})

describe('DATABASE_URL_FILE', () => {
  useTemporaryFolder()

  const fromFile = (environment: Record<string, string>) =>
    settingsFrom({ PUBLIC_URL: 'http://a', ...environment })

  const CONTENTS: ReadonlyArray<readonly [what: string, content: string, path: string]> = [
    ['the setting alone', 'sqlite:/x.db', '/x.db'],
    ['a line feed at the end', 'sqlite:/x.db\n', '/x.db'],
    ['a carriage return and a line feed at the end', 'sqlite:/x.db\r\n', '/x.db'],
    ['a byte order mark before it', '\ufeffsqlite:/x.db\r\n', '/x.db'],
    ['a space inside, which belongs to it', 'sqlite:/x y.db', '/x y.db'],
  ]
  for (const [what, content, path] of CONTENTS) {
    it(`names a file with the setting: ${what}`, () => {
      const made = fromFile({ DATABASE_URL_FILE: write('url', content) })
      expect(made).to.have.nested.property('right.database').that.deep.equals({ kind: 'sqlite', path })
    })
  }

  it('is refused with a space at its end, because SQLite would open another file', () => {
    const made = fromFile({ DATABASE_URL_FILE: write('url', 'sqlite:/x.db ') })
    expect(made).to.deep.equal({
      _tag: 'Left',
      left: [
        'DATABASE_URL must be sqlite:PATH, where PATH is not empty, has no space at its ends and does not begin with a colon',
      ],
    })
  })

  it('is refused in UTF-16', () => {
    const file = write('url', Buffer.from('\ufeffsqlite:/x.db', 'utf16le'))
    expect(fromFile({ DATABASE_URL_FILE: file })).to.deep.equal(
      left([`DATABASE_URL_FILE names a file that is not UTF-8 text, ${JSON.stringify(file)}`]),
    )
  })

  it('is refused beside DATABASE_URL', () => {
    const file = write('url', 'memory:')
    expect(fromFile({ DATABASE_URL: 'memory:', DATABASE_URL_FILE: file })).to.deep.equal(
      left(['DATABASE_URL_FILE and DATABASE_URL are both set. Remove one of them']),
    )
  })

  it('is reported with the other wrong settings', () => {
    const made = fromFile({ DATABASE_URL_FILE: join(folder, 'nowhere'), PORT: 'x', LOG_LEVEL: 'x' })
    expect(made._tag === 'Left' && made.left).to.have.lengthOf(3)
  })

  it('never shows the content of its file', () => {
    const file = write('url', 'mysql://ada:hunter2@host/db')
    const made = fromFile({ DATABASE_URL_FILE: file })
    expect(made).to.deep.equal(
      left([
        'DATABASE_URL must be memory:, sqlite:PATH or postgres://USER:PASSWORD@HOST:PORT/DATABASE, got "mysql://..." (not shown in full, because it may contain a password)',
      ]),
    )
  })
})

describe('the message about a wrong setting', () => {
  const messageFor = (environment: Record<string, string>): string => {
    const made = settingsFrom(environment)
    return made._tag === 'Left' ? made.left.join('\n') : ''
  }

  it('shows the value as JSON', () => {
    for (const name of ['PORT', 'HOST', 'PUBLIC_URL', 'LOG_LEVEL', 'PASSWORD_POLICY', 'SCRYPT_P'])
      expect(messageFor({ [name]: 'a "b" c' }), name).to.match(/, got "a \\"b\\" c"$/)
  })

  it('shows control characters and characters outside ASCII as escapes', () => {
    expect(messageFor({ LOG_LEVEL: 'a\n\u001b[2J\u007f\u202eé１' })).to.match(
      /, got "a\\n\\u001b\[2J\\u007f\\u202e\\u00e9\\uff11"$/,
    )
  })

  it('shows at most 60 characters', () => {
    expect(messageFor({ LOG_LEVEL: 'ab '.repeat(1000) })).to.match(/, got "(ab ){20}\.\.\."$/)
  })

  it('never shows the value of a setting that may contain a secret, or the content of its file', () => {
    const folder = mkdtempSync(join(tmpdir(), 'portcullis-config-'))
    const file = join(folder, 'secret')
    writeFileSync(file, 'hunter2 swordfish')
    try {
      for (const name of ['DATABASE_URL', 'DATABASE_DIRECT_URL', 'PASSWORD_PEPPER', 'KEY_ENCRYPTION_KEY'])
        for (const value of [
          'hunter2 swordfish',
          'hunter2@swordfish',
          'hunter2:swordfish',
          '//hunter2:swordfish@x',
          'sqlite:hunter2 swordfish ',
          'postgres://hunter2:swordfish@x',
          'http://hunter2:swordfish@x/y',
        ]) {
          const postgres = name === 'DATABASE_DIRECT_URL' ? { DATABASE_URL: 'postgres://ada@db/auth' } : {}
          const messages = [messageFor({ ...postgres, [name]: value })]
          if (name !== 'DATABASE_URL') messages.push(messageFor({ ...postgres, [`${name}_FILE`]: file }))
          for (const message of messages) {
            expect(message).to.match(new RegExp(`^${name} must be `))
            expect(message).not.to.match(/hunter2|swordfish/)
          }
        }
    } finally {
      rmSync(folder, { recursive: true })
    }
  })

  it('hides credentials, queries and long words, which may be secrets in a wrong setting', () => {
    for (const [value, shown] of [
      ['https://ada:hunter2@example.com', '***@example.com'],
      ['postgres://ada:p@ss@db/auth', '***@db/auth'],
      ['https://example.com/?key=hunter2', 'https://example.com/?***'],
      [`2026:${'0123456789abcdef'.repeat(4)}`, '2026:***'],
      [`sk_${'A1b2'.repeat(12)}x`, '***'],
      [`${'x'.repeat(31)}.example.com/`, `${'x'.repeat(31)}.example.com/`],
    ] as const)
      for (const name of ['PUBLIC_URL', 'PORT', 'LOG_LEVEL', 'TRUST_PROXY'])
        expect(messageFor({ [name]: value }), name)
          .to.match(/^[A-Z_]+ must be /)
          .and.to.satisfy((message: string) => message.endsWith(`, got "${shown}"`))
  })
})
