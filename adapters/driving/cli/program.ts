import { Command, CommanderError, InvalidArgumentError, Option } from 'commander'
import { isNone } from 'fp-ts/lib/Option.js'
import { EVENT_TYPES } from '../../../application/recording/events/table.ts'
import { DEFAULT_SCOPE, SCOPES, scopeText } from '../../../domain/application.ts'
import { type LogCursor, parseLogCursor } from '../../../domain/log-cursor.ts'
import { KEY_PURPOSES } from '../../../domain/signing-key.ts'
import { WrongSettings } from '../../config/settings.ts'
import { VERSION } from '../../config/version.ts'
import { applicationCreate } from './application-create.ts'
import { applicationList } from './application-list.ts'
import { applicationRevoke } from './application-revoke.ts'
import { applicationRotate } from './application-rotate.ts'
import { backup } from './backup.ts'
import { doctor } from './doctor.ts'
import { eventsList } from './events-list.ts'
import { eventsRenew } from './events-renew.ts'
import { CommandFailed, EXIT, type ExitStatus } from './exit.ts'
import { keysList } from './keys-list.ts'
import { keysRotate } from './keys-rotate.ts'
import { serve } from './serve.ts'
import type { Terminal } from './terminal.ts'
import { userCreate } from './user-create.ts'
import { userList } from './user-list.ts'
import { userSetPassword } from './user-set-password.ts'
import { userStatus } from './user-status.ts'

/** Runs one command line (without the names of node and of the script). It never throws. */
export const run = async (words: ReadonlyArray<string>, terminal: Terminal): Promise<ExitStatus> => {
  try {
    await program(terminal).parseAsync([...words], { from: 'user' })
    return EXIT.done
  } catch (error) {
    if (error instanceof CommanderError) return error.exitCode === 0 ? EXIT.done : EXIT.wrongUsage
    terminal.say(error instanceof Error ? error.message : 'It failed for an unknown reason.')
    if (error instanceof WrongSettings) return EXIT.wrongSettings
    return error instanceof CommandFailed ? error.status : EXIT.failed
  }
}

/** Every command there is. */
export const program = (terminal: Terminal): Command => {
  const portcullis = new Command('portcullis')
    .description(
      'An authentication and profile service. Settings come from the environment and from a .env file here; see the README.',
    )
    .version(VERSION)
    .exitOverride()
    .configureOutput({
      writeOut: (text) => terminal.print(text.trimEnd()),
      writeErr: (text) => terminal.say(text.trimEnd()),
    })
    .showHelpAfterError('(add --help for how to use it)')
    .addHelpText('after', EXIT_STATUSES)

  portcullis
    .command('serve')
    .description('serve HTTP until SIGINT or SIGTERM')
    .option(
      '--first-run',
      'on an empty store, make an application and a user and print their secrets once',
      false,
    )
    .action((options) => serve(terminal, options))

  const application = portcullis.command('application').description('applications and their API keys')
  application
    .command('create')
    .description('register an application; its private key is printed this once')
    .requiredOption('--name <name>', '1 to 100 printable characters')
    .option(
      '--scope <scopes>',
      `what its tokens may be used for, with spaces between: ${SCOPES.join(', ')}`,
      scopeText(DEFAULT_SCOPE),
    )
    .addOption(json())
    .action((options) => applicationCreate(terminal, options))

  application
    .command('list')
    .description('print every application, one a line; never a secret')
    .addOption(json('one JSON object a line'))
    .action((options) => applicationList(terminal, options))
  application
    .command('rotate')
    .description(
      'give an application another private key, printed this once; the old one works on for a while',
    )
    .argument('<id>', 'the application')
    .option('--overlap <seconds>', 'how long the old key works on; 0 ends it now', seconds, A_DAY_SECONDS)
    .addOption(json())
    .action((id, options) => applicationRotate(terminal, id, options))
  application
    .command('revoke')
    .description('end an application for good: its keys, its tokens and the sessions that it opened')
    .argument('<id>', 'the application')
    .addOption(json())
    .action((id, options) => applicationRevoke(terminal, id, options))

  const user = portcullis.command('user').description('users')
  user
    .command('create')
    .description('register a user')
    .requiredOption('--email <email>', 'an e-mail address that is not registered yet')
    .addOption(passwordStdin())
    .addOption(json())
    .action((options) => userCreate(terminal, options))
  user
    .command('list')
    .description('print every user, one a line')
    .addOption(json('one JSON object a line'))
    .action((options) => userList(terminal, options))
  user
    .command('set-password')
    .description('set a password that was forgotten; every session of the user ends')
    .argument('<email>', 'the user')
    .addOption(passwordStdin())
    .addOption(json())
    .action((email, options) => userSetPassword(terminal, email, options))
  for (const [what, description] of STATUS_COMMANDS) {
    user
      .command(what)
      .description(description)
      .argument('<email>', 'the user')
      .addOption(json())
      .action((email, options) => userStatus(terminal, what, email, options))
  }

  const keys = portcullis.command('keys').description('the keys that sign tokens')
  keys
    .command('list')
    .description('print the keys that are in use, oldest first; never a secret')
    .addOption(json('one JSON object a line'))
    .action((options) => keysList(terminal, options))
  keys
    .command('rotate')
    .description(
      'make new keys; they are published before they sign, and the old ones verify what they signed',
    )
    .addOption(new Option('--purpose <purpose>', 'only the keys of one kind of token').choices(KEY_PURPOSES))
    .option(
      '--leaked',
      'the old keys are known to others: what they signed is good no more, from now on',
      false,
    )
    .addOption(json())
    .action((options) => keysRotate(terminal, options))

  const events = portcullis.command('events').description('the event log')
  events
    .command('list')
    .description('print the event log, oldest entry first')
    .addOption(
      new Option(
        '--after <cursor>',
        'only entries after this one: a position, or EPOCH:POSITION as each listing ends with',
      )
        .argParser(cursor)
        .default({ epoch: undefined, position: 0 }, '0'),
    )
    .addOption(new Option('--type <type>', 'only entries of this type').choices(EVENT_TYPES))
    .addOption(json('one JSON object a line'))
    .action((options) => eventsList(terminal, options))
  events
    .command('renew')
    .description('give the log another epoch: once after a restore from a raw copy of the store')
    .addOption(json())
    .action((options) => eventsRenew(terminal, options))

  portcullis
    .command('backup')
    .description('copy the store as it is now into a new file, beside a server that goes on')
    .argument('<file>', 'a file that does not exist yet')
    .addOption(json())
    .action((file, options) => backup(terminal, file, options))
  portcullis
    .command('doctor')
    .description('look at settings, files, disk, hashing speed, and whether the rows say what the log says')
    .addOption(json())
    .action((options) => doctor(terminal, options))

  return portcullis
}

const json = (what = 'one JSON object') =>
  new Option('--json', `print ${what} and nothing else`).default(false)

const passwordStdin = () =>
  new Option(
    '--password-stdin',
    'read the password from standard input, less one line feed at its end',
  ).makeOptionMandatory()

const STATUS_COMMANDS = [
  ['disable', 'let a user sign in no more, and end every session'],
  ['enable', 'let a disabled user sign in again; sessions that ended stay ended'],
  ['remove', 'forget a user: nothing stays but an id, and the e-mail may be registered again'],
] as const

const A_DAY_SECONDS = 24 * 3600
const A_YEAR_SECONDS = 365 * A_DAY_SECONDS

const seconds = (text: string): number => {
  if (!/^\d{1,9}$/.test(text) || Number(text) > A_YEAR_SECONDS)
    throw new InvalidArgumentError(`It is a whole number of seconds, 0 to ${A_YEAR_SECONDS}.`)
  return Number(text)
}

const cursor = (text: string): LogCursor => {
  const parsed = parseLogCursor(text)
  if (isNone(parsed))
    throw new InvalidArgumentError(
      'It is a whole number, 0 or more, or EPOCH:POSITION such as 3fa81c02:1234.',
    )
  return parsed.value
}

const EXIT_STATUSES = `
Exit status: 0 done, 1 refused or failed, 2 wrong usage, 78 wrong settings.`
