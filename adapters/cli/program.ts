import { Command, CommanderError, InvalidArgumentError, Option } from 'commander'
import { SCOPES, scopeText } from '../../domain/application.ts'
import { EVENT_TYPES } from '../../domain/event.ts'
import { applicationCreate } from './application-create.ts'
import { eventsList } from './events-list.ts'
import { EXIT, type ExitStatus, Refusal } from './exit.ts'
import { serve } from './serve.ts'
import type { Terminal } from './terminal.ts'
import { userCreate } from './user-create.ts'
import { VERSION } from './version.ts'

/** Runs one command line (without the names of node and of the script). It never throws. */
export const run = async (words: ReadonlyArray<string>, terminal: Terminal): Promise<ExitStatus> => {
  try {
    await program(terminal).parseAsync([...words], { from: 'user' })
    return EXIT.done
  } catch (error) {
    if (error instanceof CommanderError) return error.exitCode === 0 ? EXIT.done : EXIT.wrongUsage
    terminal.say(error instanceof Error ? error.message : 'It failed for an unknown reason.')
    return error instanceof Refusal ? error.status : EXIT.failed
  }
}

const program = (terminal: Terminal): Command => {
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
    .option('--scope <scopes>', 'what its tokens may be used for', scopeText(SCOPES))
    .addOption(json())
    .action((options) => applicationCreate(terminal, options))

  const user = portcullis.command('user').description('users')
  user
    .command('create')
    .description('register a user')
    .requiredOption('--email <email>', 'an e-mail address that nobody has yet')
    .requiredOption(
      '--password-stdin',
      'read the password from standard input, less one line feed at its end',
    )
    .addOption(json())
    .action((options) => userCreate(terminal, options))

  const events = portcullis.command('events').description('the event log')
  events
    .command('list')
    .description('print the event log, oldest entry first')
    .option('--after <position>', 'only entries after this one', position, 0)
    .addOption(new Option('--type <type>', 'only entries of this type').choices(EVENT_TYPES))
    .addOption(json('one JSON object a line'))
    .action((options) => eventsList(terminal, options))

  return portcullis
}

const json = (what = 'one JSON object') =>
  new Option('--json', `print ${what} and nothing else`).default(false)

const position = (text: string): number => {
  if (!/^\d{1,15}$/.test(text)) throw new InvalidArgumentError('It is a whole number, 0 or more.')
  return Number(text)
}

const EXIT_STATUSES = `
Exit status: 0 done, 1 refused or failed, 2 wrong usage, 78 wrong settings.`
