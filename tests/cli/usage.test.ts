import { existsSync, readFileSync } from 'node:fs'
import { expect } from 'chai'
import { COMMANDS, commandsOf } from '../support/commands.ts'
import { runHere, startHere } from '../support/run-here.ts'
import { workplace } from '../support/workplace.ts'

const MISTAKES: ReadonlyArray<readonly [mistake: string, words: string, hint: string]> = [
  ['an unknown command', 'unlock', "unknown command 'unlock'"],
  ['an unknown command on applications', 'application delete some-id', "unknown command 'delete'"],
  ['an unknown option', 'serve --loud', "unknown option '--loud'"],
  ['too many words', 'events list everything', 'too many arguments'],
  ['a missing --name', 'application create', '--name'],
  ['a missing --password-stdin', 'user create --email ada@example.com', '--password-stdin'],
  ['a missing application to rotate', 'application rotate', "missing required argument 'application'"],
  [
    'two beginnings',
    'user list --email-prefix a --name-prefix b',
    "cannot be used with option '--name-prefix",
  ],
  [
    'a status beside a beginning',
    'user list --name-prefix a --status enabled',
    "cannot be used with option '--status",
  ],
  ['a role beside an e-mail', 'user list --role admin --email a@b', "cannot be used with option '--email"],
  ['a status that no listed user has', 'user list --status removed', 'enabled, disabled'],
  ['a limit of none', 'user list --limit 0', 'whole number from 1'],
  ['a missing file to back up to', 'backup --json', "missing required argument 'file'"],
  ['a client that does not exist', 'application set some-id --client spa', 'confidential, public'],
  ['a use of PKCE that does not exist', 'application set some-id --pkce never', 'required, optional'],
  [
    'scopes and none',
    'application create --name x --scope users:sign_in --no-scopes',
    "'--no-scopes' cannot be used with option '--scope",
  ],
  [
    'redirect URIs and none',
    'application set some-id --redirect-uri https://a.example/ --no-redirect-uris',
    "'--no-redirect-uris' cannot be used with option '--redirect-uri",
  ],
  [
    'logout URIs and none',
    'application set some-id --no-logout-uris --logout-uri https://a.example/',
    "'--no-logout-uris' cannot be used with option '--logout-uri",
  ],
  ['an overlap that is not a number', 'application rotate some-id --overlap soon', 'whole number of seconds'],
  ['an overlap in the past', 'application rotate some-id --overlap -1', 'whole number of seconds'],
  ['an overlap of over a year', 'application rotate some-id --overlap 31536001', '0 to 31536000'],
  ['a purpose that does not exist', 'keys rotate --purpose session', 'application, user'],
  ['a role with a space', 'user roles some-id --add shop,admin', 'letters, digits'],
  ['a position that is not a number', 'events list --after yesterday', 'whole number'],
  ['a cursor with half an epoch', 'events list --after 3fa8:12', 'EPOCH:POSITION'],
  ['an event that does not exist', 'events list --type Birthday', 'ApplicationRegistered'],
]

/** Options whose values add up if they are repeated. */
const ADD_UP = [
  '--scope',
  '--add',
  '--remove',
  '--passkey-origin',
  '--return-url',
  '--redirect-uri',
  '--logout-uri',
  '--type',
  '--against',
  '--vkey',
]

/** Valid values of the others. */
const VALUES: Readonly<Record<string, string>> = {
  '--name': 'shop',
  '--user-token-ttl': '60',
  '--idle-ttl': '60',
  '--session-ttl': 'default',
  '--remember-ttl': '60',
  '--overlap': '60',
  '--email': 'ada@example.com',
  '--status': 'disabled',
  '--state': 'failed',
  '--after': '5',
  '--limit': '5',
  '--since': '2026-01-01',
  '--until': '2026-01-02',
  '--user': 'ada@example.com',
  '--application': 'shop',
  '--reason': 'wrong_password',
  '--purpose': 'user',
  '--from': 'log',
  '--token-file': 'token',
  '--before': '2026-01-01',
  '--exported': 'log',
  '--port': '8484',
  '--client': 'public',
  '--pkce': 'required',
}

/** Commands that need a subcommand. */
const GROUPS = ['application', 'user', 'keys', 'events', 'mail', 'texts']

const WRONG_SETTINGS = { PORT: 'http', SCRYPT_LOG_N: '99', DATABASE_URL: 'mysql://root:hunter2@db' }

describe('the command line', () => {
  const { portcullis, asProcess, remove } = workplace()
  after(remove)

  it('lists the commands and exit statuses with --help', async () => {
    const { status, out, err } = await portcullis('--help')
    expect(status).to.equal(0)
    expect(err).to.equal('')
    for (const word of [
      'serve',
      'application',
      'user',
      'keys',
      'events',
      'backup',
      'doctor',
      '0 done',
      '1 refused',
      '2 wrong',
      '78 wrong',
    ]) {
      expect(out).to.include(word)
    }
  })

  for (const [command, , options] of COMMANDS) {
    it(`explains every option of ${command}, and --with, with --help`, async () => {
      const { status, out, err } = await runHere(`${command} --help`)
      expect(status).to.equal(0)
      expect(err).to.equal('')
      expect(out).to.include(`Usage: portcullis ${command}`)
      const explained = [...out.matchAll(/^ {2}(--[a-z0-9-]+)/gm)].map(([, option]) => option)
      const own = options.filter((option) => option.startsWith('--'))
      expect(explained).to.have.members([...own, '--with'])
      for (const option of options) expect(out).to.include(option)
    })

    it(`shows valid examples of ${command} with --help`, async () => {
      const { out } = await runHere(`${command} --help`)
      const [, block = ''] = /^Examples:\n((?: {2}.+\n)+)/m.exec(out) ?? []
      const examples = block.trim().split('\n')
      for (const example of examples) {
        const [, words = ''] = /^ *(?:printf %s "\$PASSWORD" \| )?portcullis (.+)$/.exec(example) ?? []
        expect(words, example).to.match(new RegExp(`^${command}\\b`))
        // Commands read the settings after their arguments, so status 78 means valid usage. Kept files are an argument.
        const expected = /--against|--token-file/.test(words) ? 1 : 78
        const { ended } = startHere(splitLine(words), { environment: WRONG_SETTINGS })
        expect((await ended).status, example).to.equal(expected)
      }
    })
  }

  it('names the page of settings with --help', async () => {
    const { out } = await portcullis('--help')
    expect(out.replaceAll(/\s+/g, ' ')).to.include('docs/settings.md')
    expect(existsSync('docs/settings.md')).to.equal(true)
  })

  it('prints the version of the package', async () => {
    // The tests run from the root of the project, whether compiled or not.
    const { version } = JSON.parse(readFileSync('package.json', 'utf8'))
    expect(await portcullis('--version')).to.deep.equal({ status: 0, out: `${version}\n`, err: '' })
  })

  for (const [mistake, words, hint] of MISTAKES) {
    it(`refuses ${mistake} with status 2 and says what is expected`, async () => {
      const { status, out, err } = await runHere(words)
      expect(status).to.equal(2)
      expect(out).to.equal('')
      expect(err).to.include(hint)
    })
  }

  for (const { name, command } of commandsOf()) {
    const single = command.options.filter(({ required, long }) => required && !ADD_UP.includes(long ?? ''))
    for (const { long = '' } of single)
      it(`refuses a second ${long} of ${name} with status 2, because only one counts`, async () => {
        const given = [long ?? '', VALUES[long ?? ''] ?? '']
        const { status, out, err } = await startHere([...name.split(' '), ...given, ...given], {}).ended
        expect([status, out]).to.deep.equal([2, ''])
        expect(err).to.match(new RegExp(`^error: option '${long} <.+>' can be given only once\n`))
      })
  }

  it('refuses a second --with', async () => {
    const { status, err } = await runHere('--with one.mjs --with two.mjs doctor')
    expect(status).to.equal(2)
    expect(err).to.include("option '--with <file>' can be given only once")
  })

  for (const group of GROUPS) {
    it(`exits with status 2 and the help if ${group} has no command after it`, async () => {
      const { status, out, err } = await runHere(group)
      expect(status).to.equal(2)
      expect(out).to.equal('')
      expect(err).to.include(`Usage: portcullis ${group}`)
    })
  }

  it('ends the process with status 2 after a mistake', async () => {
    const { status, out, err } = await asProcess.portcullis('unlock')
    expect([status, out]).to.deep.equal([2, ''])
    expect(err).to.include("unknown command 'unlock'")
  })

  for (const [command, rest] of COMMANDS) {
    it(`names every wrong setting at once with status 78: ${command}`, async () => {
      expect(await runHere(`${command}${rest}`, WRONG_SETTINGS)).to.deep.equal(MISCONFIGURED)
    })
  }
})

/** The words of a command line, with quotes, `$VKEY` and the output as a shell reads them. */
const splitLine = (line: string): ReadonlyArray<string> =>
  (line.replace(/ > \S+$/, '').match(/"[^"]*"|\S+/g) ?? []).map((word) =>
    word.replaceAll('"', '').replace('$VKEY', VERIFIER_KEY),
  )

const VERIFIER_KEY = `a.test/api/v1/log/576cbbfd+fd6f7152+${'A'.repeat(44)}`

const MISCONFIGURED = {
  status: 78,
  out: '',
  err: [
    'These settings are wrong:',
    '  PORT must be a whole number from 1 to 65535, got "http"',
    '  DATABASE_URL must be memory:, sqlite:PATH or postgres://USER:PASSWORD@HOST:PORT/DATABASE, got "mysql://..." (not shown in full, because it may contain a password)',
    '  SCRYPT_LOG_N must be a whole number from 1 to 18, got "99"',
    '',
  ].join('\n'),
}
