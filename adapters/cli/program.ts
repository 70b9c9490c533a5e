import { resolve } from 'node:path'
import { Command, CommanderError } from 'commander'
import { DEFAULT_SCOPE, SCOPES, scopeText } from '../../domain/application.ts'
import { WrongSettings } from '../config/settings.ts'
import { VERSION } from '../config/version.ts'
import type { CommandContext, ProgramContext } from './command-context.ts'
import { addEventCommands } from './events-program.ts'
import { CommandFailed, EXIT, type ExitStatus } from './exit.ts'
import { addKeyCommands } from './keys-program.ts'
import { addMailCommands } from './mail-program.ts'
import {
  A_DAY_SECONDS,
  collect,
  examples,
  json,
  jsonLines,
  lifetime,
  overlapSeconds,
  port,
  refuseRepeated,
} from './options.ts'
import { withPartsOf } from './parts.ts'
import { printable } from './printable.ts'
import { addStoreCommands } from './store-program.ts'
import { addUserCommands } from './user-program.ts'

/** Runs one command line, given without the names of node and of the script. It never throws. */
export const run = async (words: ReadonlyArray<string>, given: ProgramContext): Promise<ExitStatus> => {
  // Rows contain what users and programs sent: all that any command writes passes here.
  const context: ProgramContext = {
    ...given,
    writeOut: (line) => given.writeOut(printable(line)),
    writeErr: (line) => given.writeErr(printable(line)),
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
  const context: CommandContext = {
    ...given,
    get composition() {
      if (composition === undefined) throw new Error('Only a command that runs has a composition.')
      return composition
    },
  }
  const portcullis = new Command('portcullis')
    .description(
      'Authentication for applications and their users. Settings come from the environment and from .env: see docs/settings.md.',
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

const addApplicationCommands = (portcullis: Command, context: CommandContext): void => {
  const application = portcullis.command('application').description('manage applications and their API keys')
  application
    .command('create')
    .description('register an application, and print its private key once')
    .requiredOption('--name <name>', '1 to 100 printable characters')
    .option(
      '--scope <scopes>',
      `what its tokens allow, separated by spaces or repeated: ${SCOPES.join(', ')}. Without it: ${scopeText(DEFAULT_SCOPE)}`,
      collect,
    )
    .option('--user-token-ttl <seconds>', USER_TOKEN_TTL, lifetime)
    .option('--idle-ttl <seconds>', IDLE_TTL, lifetime)
    .option('--session-ttl <seconds>', SESSION_TTL, lifetime)
    .option('--remember-ttl <seconds>', REMEMBER_TTL, lifetime)
    .option('--require-aal2', REQUIRE_AAL2)
    .option('--require-verified-email', REQUIRE_VERIFIED_EMAIL)
    .option(
      '--passkey-origin <url>',
      'origin of its pages or app with passkeys; repeat it for several',
      collect,
    )
    .addOption(json())
    .addHelpText(
      'after',
      examples(
        'portcullis application create --name shop',
        'portcullis application create --name gate --scope "users:sign_in tokens:introspect" --json',
        'portcullis application create --name bank --require-aal2 --passkey-origin https://bank.example.com',
      ),
    )
    .action(async ({ passkeyOrigin: passkeyOrigins, scope = DEFAULT_SCOPE, ...options }) =>
      (await import('./commands.ts')).applicationCreate(context, {
        ...options,
        scope: scope.join(' '),
        passkeyOrigins,
      }),
    )
  application
    .command('list')
    .description('list all applications without their secrets, one per line')
    .addOption(jsonLines())
    .addHelpText('after', examples('portcullis application list'))
    .action(async (options) => (await import('./commands.ts')).applicationList(context, options))
  application
    .command('set')
    .description('change an application, at once for all its tokens; what is not named stays')
    .argument('<application>', ID_OR_NAME)
    .option('--name <name>', '1 to 100 printable characters')
    .option(
      '--scope <scopes>',
      'all scopes from now on, separated by spaces or repeated; tokens lose the others, and only new ones gain any',
      collect,
    )
    .option('--user-token-ttl <seconds>', USER_TOKEN_TTL, lifetime)
    .option('--idle-ttl <seconds>', IDLE_TTL, lifetime)
    .option('--session-ttl <seconds>', SESSION_TTL, lifetime)
    .option('--remember-ttl <seconds>', REMEMBER_TTL, lifetime)
    .option('--require-aal2', REQUIRE_AAL2)
    .option('--no-require-aal2', 'let users without a second factor sign in again')
    .option('--require-verified-email', REQUIRE_VERIFIED_EMAIL)
    .option('--no-require-verified-email', 'let users without a confirmed e-mail sign in again')
    .option(
      '--return-url <url>',
      'all URLs, from now on, to which pages and mails may send its users back: repeat it for several',
      collect,
    )
    .option('--no-return-url', 'send its users back to no URL')
    .addOption(json())
    .addHelpText(
      'after',
      examples(
        'portcullis application set shop --scope users:sign_in',
        'portcullis application set shop --user-token-ttl 600 --session-ttl 2592000',
        'portcullis application set shop --user-token-ttl 600 --idle-ttl 43200 --session-ttl 2592000 --remember-ttl 2592000',
        'portcullis application set shop --session-ttl default',
        'portcullis application set shop --require-aal2',
        'portcullis application set shop --require-verified-email',
        'portcullis application set shop --return-url https://shop.example.com/welcome',
      ),
    )
    .action(async (idOrName, { json: asJson, scope, returnUrl, ...request }) =>
      (await import('./commands.ts')).applicationSet(context, idOrName, {
        json: asJson,
        request: {
          ...request,
          ...(scope && { scope: scope.join(' ') }),
          ...(returnUrl === undefined ? {} : { returnUrls: Array.isArray(returnUrl) ? returnUrl : [] }),
        },
      }),
    )
  application
    .command('set-passkey-origins')
    .description(
      'set the origins of the pages and apps on which an application uses passkeys, at once; without any, it has no passkeys',
    )
    .argument('<application>', ID_OR_NAME)
    .argument(
      '[urls...]',
      'all origins from now on: https://HOST, android:apk-key-hash:HASH or http://localhost',
    )
    .addOption(json())
    .addHelpText(
      'after',
      examples(
        'portcullis application set-passkey-origins shop https://shop.example.com https://www.shop.example.com',
        'portcullis application set-passkey-origins shop',
      ),
    )
    .action(async (idOrName, origins, options) =>
      (await import('./commands.ts')).applicationSetPasskeyOrigins(context, idOrName, {
        ...options,
        origins,
      }),
    )
  application
    .command('rotate')
    .description('make a new private key and print it once; the old key works until the overlap ends')
    .argument('<application>', ID_OR_NAME)
    .option(
      '--overlap <seconds>',
      'how long the old key works; 0 revokes it now',
      overlapSeconds,
      A_DAY_SECONDS,
    )
    .addOption(json())
    .addHelpText('after', examples(`portcullis application rotate shop --overlap 3600`))
    .action(async (idOrName, options) =>
      (await import('./commands.ts')).applicationRotate(context, idOrName, options),
    )
  application
    .command('revoke')
    .description('revoke an application: its keys, its tokens and the sessions that it opened')
    .argument('<application>', ID_OR_NAME)
    .addOption(json())
    .addHelpText('after', examples(`portcullis application revoke ${AN_ID}`))
    .action(async (idOrName, options) =>
      (await import('./commands.ts')).applicationRevoke(context, idOrName, options),
    )
  application
    .command('create-pages')
    .description(
      'make the next application of the account pages after theirs was revoked; they work again at once',
    )
    .addOption(json())
    .addHelpText('after', examples('portcullis application create-pages'))
    .action(async (options) => (await import('./commands.ts')).applicationCreatePages(context, options))
}

const ID_OR_NAME = 'id of the application, or its name if no other has it'
const USER_TOKEN_TTL = 'lifetime of its user tokens; default is USER_TOKEN_TTL'
const IDLE_TTL = 'how long its sessions live without a renewal; default is that of the service'
const SESSION_TTL = 'lifetime of its sessions; default is that of the service'
const REMEMBER_TTL = 'lifetime of its remembered sessions, renewed or not; default is that of the service'
const REQUIRE_AAL2 = 'require a second factor: users without one cannot sign in'
const REQUIRE_VERIFIED_EMAIL = 'require a confirmed e-mail: users without one cannot sign in'
const AN_ID = '01a20174-dd5e-740b-ab17-65753410836b'

const EXIT_STATUSES = `
Exit status: 0 done, 1 refused or failed, 2 wrong usage, 78 wrong settings.`
