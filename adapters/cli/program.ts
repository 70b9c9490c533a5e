import { resolve } from 'node:path'
import { Command, CommanderError } from 'commander'
import { type EnvFile, envFileOf } from '../config/environment.ts'
import { WrongSettings } from '../config/settings.ts'
import { VERSION } from '../config/version.ts'
import { addApplicationCommands } from './applications-program.ts'
import type { CommandContext, ProgramContext } from './command-context.ts'
import { addEventCommands } from './events-program.ts'
import { CommandFailed, EXIT, type ExitStatus } from './exit.ts'
import { addKeyCommands } from './keys-program.ts'
import { addMailCommands } from './mail-program.ts'
import { examples, json, port, refuseRepeated, yes } from './options.ts'
import { withPartsOf } from './parts.ts'
import { printable } from './printable.ts'
import { addStoreCommands } from './store-program.ts'
import { addUserCommands } from './user-program.ts'

/** Runs one command line, given without the names of node and of the script. It never throws. */
export const run = async (words: ReadonlyArray<string>, given: ProgramContext): Promise<ExitStatus> => {
  // Rows contain what users and programs sent: all that any command writes passes here.
  const { ask } = given
  const context: ProgramContext = {
    ...given,
    writeOut: (line) => given.writeOut(printable(line)),
    writeErr: (line) => given.writeErr(printable(line)),
    ask: ask && ((question) => ask(printable(question))),
  }
  try {
    await program(context).parseAsync([...words], { from: 'user' })
    return EXIT.done
  } catch (error) {
    if (error instanceof CommanderError) return error.exitCode === 0 ? EXIT.done : EXIT.wrongUsage
    context.writeErr(error instanceof Error ? error.message : 'The command failed for an unknown reason.')
    if (error instanceof WrongSettings) return EXIT.wrongSettings
    return error instanceof CommandFailed ? error.status : EXIT.failed
  }
}

/** All commands. Each loads its own code when it runs, so that `--help` and quick commands start fast. */
export const program = (given: ProgramContext): Command => {
  let composition: CommandContext['composition'] | undefined
  let envFile: EnvFile | undefined
  const context: CommandContext = {
    ...given,
    envFile: () => {
      envFile ??= envFileOf(given.environment, given.folder)
      return envFile
    },
    get composition() {
      if (composition === undefined) throw new Error('Only a command that runs has a composition.')
      return composition
    },
  }
  const portcullis = new Command('portcullis')
    .description(
      'Authentication for applications and their users. Settings come from the environment and from .env, or the file that PORTCULLIS_ENV_FILE names: see docs/settings.md.',
    )
    .version(VERSION)
    .exitOverride()
    .configureOutput({
      writeOut: (text) => context.writeOut(text.trimEnd()),
      writeErr: (text) => context.writeErr(text.trimEnd()),
    })
    .showHelpAfterError('(add --help for usage)')
    .configureHelp({ showGlobalOptions: true })
    .option('--with <file>', 'run the command with the adapters that this JavaScript module exports')
    .hook('preAction', async () => {
      given.onCommand?.()
      composition = await given.loadComposition()
      const { with: file } = portcullis.opts<{ with?: string }>()
      if (file !== undefined) composition = await withPartsOf(resolve(given.folder, file), composition)
    })
    .addHelpText('after', EXIT_STATUSES)

  portcullis
    .command('serve')
    .description('run the HTTP server until SIGINT or SIGTERM')
    .option(
      '--first-run',
      'in an empty store, make and print first accounts; switch the account pages on',
      false,
    )
    .addOption(yes())
    .addHelpText('after', examples('portcullis serve', 'portcullis serve --first-run'))
    .action(async (options) => (await import('./commands.ts')).serve(context, options))

  addApplicationCommands(portcullis, context)
  addUserCommands(portcullis, context)
  addKeyCommands(portcullis, context)
  addEventCommands(portcullis, context)
  addStoreCommands(portcullis, context)
  addMailCommands(portcullis, context)

  portcullis
    .command('backup')
    .description('copy the store into a new file; the server can keep running')
    .argument('<file>', 'path of a file that does not exist yet')
    .addOption(json())
    .addHelpText('after', examples('portcullis backup portcullis-backup.db'))
    .action(async (file, options) => (await import('./commands.ts')).backup(context, file, options))
  portcullis
    .command('doctor')
    .description(
      'check settings, file permissions, disk space, integrity, hashing cost and the relay of mails; safe beside a running server',
    )
    .addOption(json())
    .addHelpText('after', examples('portcullis doctor', 'portcullis doctor --json'))
    .action(async (options) => (await import('./commands.ts')).doctor(context, options))
  portcullis
    .command('console')
    .description('serve pages for operators on 127.0.0.1, for one browser, until Ctrl-C or 30 idle minutes')
    .option('--port <port>', 'port to listen on; any free one by default', port)
    .option('--write', 'let the pages change users and API keys; without it they only read', false)
    .addHelpText('after', examples('portcullis console', 'portcullis console --port 8484 --write'))
    .action(async ({ port: given = 0, ...options }) =>
      (await import('./commands.ts')).operatorConsole(context, { ...options, port: given }),
    )

  refuseRepeated(portcullis)
  return portcullis
}

const EXIT_STATUSES = `
Exit status: 0 done, 1 refused or failed, 2 wrong usage, 78 wrong settings.`
