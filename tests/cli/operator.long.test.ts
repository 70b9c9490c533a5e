import { writeFileSync } from 'node:fs'
import { userInfo } from 'node:os'
import { join } from 'node:path'
import { expect } from 'chai'
import { EXIT } from '../../adapters/cli/exit.ts'
import type { LogEntry } from '../../application/ports/store.ts'
import { processWorkplace } from '../support/command.ts'
import { commandsOf } from '../support/commands.ts'
import { onEverySharedStore } from '../support/every-store.ts'
import { FACTOR_SETTINGS } from '../support/factor-desk.ts'
import { SOME_RECORD } from '../support/import-file.ts'
import { jsonLines } from '../support/json-lines.ts'
import { runHere } from '../support/run-here.ts'

/** Commands that only read, or copy the store. */
const READING = [
  'application list',
  'user list',
  'user history',
  'user show',
  'keys list',
  ...['list', 'checkpoint', 'verify', 'export', 'key'].map((name) => `events ${name}`),
  'store copy', // the copy has the log of its source, and nothing else
  'backup',
  'doctor',
  ...['test', 'list', 'retry', 'drop'].map((name) => `mail ${name}`), // the log says nothing of what operators do with mails
  'texts check',
  'console', // with --write it runs the use cases of other commands: see tests/console
]

const PASSWORD = 'nine purple otters sing'

onEverySharedStore('the event log, for each command that writes', (stores) => {
  const { asProcess, serve, remove } = stores.workplace()
  after(remove)

  const environment = { OPERATOR: 'Ada Lovelace', ...FACTOR_SETTINGS, PASSKEY_RP_ID: 'localhost' }
  const run = async (words: string, input = '') => {
    const { status, out, err } = await asProcess.portcullis(`${words} --json`, { environment, input })
    expect([status, err], words).to.deep.equal([0, ''])
    return JSON.parse(out)
  }

  it('names the operator', async function () {
    this.timeout(60_000)
    const server = await serve('serve --first-run', { ...environment, ACCOUNT_PAGES: 'off' })
    expect(await server.end()).to.equal(0)
    const { id } = await run('application create --name shop')
    await run(`application set ${id} --scope users:sign_in`)
    await run(`application set-passkey-origins ${id} http://localhost`)
    await run(`application rotate ${id}`)
    await run(`application revoke ${id}`)
    await run('user create --email ada@example.com --password-stdin', PASSWORD)
    await run('user set-password ada@example.com --password-stdin', PASSWORD)
    await run('user roles ada@example.com --add shop:admin')
    for (const action of ['end-sessions', 'reset-factors', 'disable', 'enable', 'remove'])
      await run(`user ${action} ada@example.com`)
    await run('user import -', JSON.stringify({ email: 'bob@example.com', password_hash: SOME_RECORD }))
    await run('user export users.jsonl')
    await run('keys rotate --leaked')
    await run('events renew')

    const { out } = await asProcess.portcullis('events list --json')
    const entries: ReadonlyArray<LogEntry> = jsonLines(out)
    const byOthers = entries.filter(({ actor }) => actor.kind !== 'operator')
    expect(new Set(byOthers.map(({ type }) => type))).to.deep.equal(new Set(['SigningKeyCreated'])) // by the server
    const byOperator = entries.filter(({ actor }) => actor.kind === 'operator')
    for (const { type, actor } of byOperator)
      expect(actor, type).to.deep.equal({ kind: 'operator', id: 'Ada Lovelace' })
    expect(byOperator.map(({ type }) => type)).to.deep.equal([
      'ApplicationRegistered',
      'UserRegistered',
      'ApplicationRegistered',
      'ApplicationChanged',
      'PasskeyOriginsSet',
      'ApplicationKeyRotated',
      'ApplicationRevoked',
      'UserRegistered',
      'PasswordSet',
      'UserRolesChanged',
      'SessionsEnded',
      'FactorsReset',
      'UserDisabled',
      'UserEnabled',
      'UserRemoved',
      'UserImported',
      'UsersExported',
      ...byOperator.slice(17, -1).map(({ type }) => type),
      'LogRenewed',
    ])
    expect(new Set(byOperator.slice(17, -1).map(({ type }) => type))).to.deep.equal(
      new Set(['SigningKeyCreated', 'SigningKeyRetired']),
    )
  })
})

describe('the name of the operator', () => {
  const { folder, portcullis, remove } = processWorkplace()
  after(remove)

  const user = userInfo().username

  /** The actor that the log shows after a command with this environment. */
  const actorWith = async (environment: Record<string, string>) => {
    const made = await portcullis('application create --name shop --json', { environment })
    expect([made.status, made.err]).to.deep.equal([0, ''])
    return jsonLines((await portcullis('events list --json')).out).at(-1)?.actor
  }

  for (const [what, environment, id] of [
    ['OPERATOR', { OPERATOR: 'ada', SUDO_USER: 'grace' }, 'ada'],
    ['SUDO_USER, without OPERATOR', { SUDO_USER: 'grace' }, 'grace'],
    ['SUDO_USER, with an empty OPERATOR', { OPERATOR: '', SUDO_USER: 'grace' }, 'grace'],
    ['the system’s user, without both', {}, user],
    ['the system’s user, with an empty SUDO_USER', { SUDO_USER: '' }, user],
    ['the system’s user, with a SUDO_USER of two lines', { SUDO_USER: 'ada\ngrace' }, user],
    ['the system’s user, with a SUDO_USER of 101 characters', { SUDO_USER: 'x'.repeat(101) }, user],
  ] as ReadonlyArray<readonly [string, Record<string, string>, string]>) {
    it(`is ${what}`, async () => {
      expect(await actorWith(environment)).to.deep.equal({ kind: 'operator', id })
    })
  }

  it('is OPERATOR of the file .env', async () => {
    writeFileSync(join(folder, '.env'), 'OPERATOR=ada of the file\n')
    expect(await actorWith({ SUDO_USER: 'grace' })).to.deep.equal({ kind: 'operator', id: 'ada of the file' })
    writeFileSync(join(folder, '.env'), '')
  })

  for (const wrong of ['ada\ngrace', 'ada\u001b[31m', 'x'.repeat(101), ' ']) {
    it(`must be printable and short: ${JSON.stringify(wrong).slice(0, 20)} stops a command with status 78`, async () => {
      const { status, out, err } = await portcullis('application list', { environment: { OPERATOR: wrong } })
      expect([status, out]).to.deep.equal([EXIT.wrongSettings, ''])
      expect(err).to.include('OPERATOR must be 1 to 100 printable characters, got ')
      expect(err).not.to.include('\u001b')
    })
  }

  it('is absent if the system’s user has no name', async () => {
    const environment = { DATABASE_URL: `sqlite:${join(folder, 'nameless.db')}` }
    await runHere('application create --name shop', environment) // in a process that tells no name
    const { out } = await runHere('events list --json', environment)
    expect(jsonLines(out).map(({ actor }) => actor)).to.deep.equal([{ kind: 'operator' }])
  })
})

it('every command of the program is known to write or to read, so that none forgets the operator', () => {
  const writing = [
    'serve',
    ...['create', 'create-pages', 'set', 'set-passkey-origins', 'rotate', 'revoke'].map(
      (name) => `application ${name}`,
    ),
    ...[
      'create',
      'set-password',
      'roles',
      'end-sessions',
      'reset-factors',
      'disable',
      'enable',
      'remove',
      'import',
      'export',
    ].map((name) => `user ${name}`),
    'keys rotate',
    'events renew',
    'events prune', // tests/history/pruning.long.test.ts reads who pruned
  ]
  expect(commandsOf().map(({ name }) => name)).to.have.members([...writing, ...READING])
})
