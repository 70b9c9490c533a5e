import { type Command, Option } from 'commander'
import { LISTED_STATUSES } from '../../domain/user-search.ts'
import { asciiEmail } from '../config/addresses/ascii-domains.ts'
import type { CommandContext } from './command-context.ts'
import {
  A_TIME,
  collectRoles,
  examples,
  json,
  jsonLines,
  limit,
  newFile,
  passwordStdin,
  time,
  yes,
} from './options.ts'

/** Adds `portcullis user …`. */
export const addUserCommands = (portcullis: Command, context: CommandContext): void => {
  const user = portcullis.command('user').description('manage users')
  /** A command for one user, who exists. */
  const ofUser = (name: string, description: string): Command =>
    user.command(name).description(description).argument('<user>', EMAIL_OR_ID, asciiEmail)
  user
    .command('create')
    .description('register a user')
    .requiredOption('--email <email>', 'an e-mail address that is not registered yet', asciiEmail)
    .addOption(passwordStdin().default(false))
    .option('--no-password', 'register a user whom applications with users:vouch sign in')
    .addOption(yes())
    .addOption(json())
    .addHelpText(
      'after',
      examples(
        `${PASSWORD_INPUT} | portcullis user create --email ada@example.com --password-stdin`,
        'portcullis user create --email ada@example.com --no-password',
      ),
    )
    .action(async ({ passwordStdin: readsPassword, ...options }, command: Command) => {
      if (readsPassword === !options.password)
        command.error("error: name one of the options '--password-stdin' and '--no-password'")
      await (await import('./commands.ts')).userCreate(context, options)
    })
  user
    .command('import')
    .description(
      'import users with the password records, authenticator apps, passkeys and identities of another system or of an export; known e-mails are skipped',
    )
    .argument('<file>', 'JSON lines, one user per line; - reads standard input')
    .option('--dry-run', 'check every line, and write nothing', false)
    .addOption(json())
    .addHelpText(
      'after',
      examples('portcullis user import users.jsonl --dry-run', 'portcullis user import users.jsonl'),
    )
    .action(async (file, options) => (await import('./commands.ts')).userImport(context, file, options))
  user
    .command('export')
    .description(
      'write all users with their password records, authenticator apps, passkeys and identities into a new file, which user import takes',
    )
    .argument('<file>', 'path of a file that does not exist yet; only you can read it', newFile)
    .addOption(json())
    .addHelpText('after', examples('portcullis user export users.jsonl'))
    .action(async (file, options) => (await import('./commands.ts')).userExport(context, file, options))
  user
    .command('list')
    .description('list users, one per line, ascending by id, or by the e-mail or name of a prefix')
    .addOption(new Option('--status <status>', 'only users with this status').choices(LISTED_STATUSES))
    .option('--email <email>', 'only the user with this e-mail address', asciiEmail)
    .addOption(
      new Option('--email-prefix <text>', 'only users whose e-mail begins so').conflicts([
        'email',
        'status',
        'namePrefix',
        'role',
      ]),
    )
    .addOption(
      new Option('--name-prefix <text>', 'only users whose name begins so').conflicts([
        'email',
        'status',
        'role',
      ]),
    )
    .addOption(new Option('--role <role>', 'only users with this role').conflicts(['email']))
    .option('--after <position>', 'only users behind this position, which a listing with --limit prints')
    .option('--limit <count>', 'at most so many users; all by default', limit)
    .addOption(jsonLines())
    .addHelpText(
      'after',
      examples(
        'portcullis user list',
        'portcullis user list --status disabled --limit 100',
        'portcullis user list --email-prefix ada',
      ),
    )
    .action(async (options) => (await import('./commands.ts')).userList(context, options))
  ofUser('show', 'show one user')
    .addOption(json())
    .addHelpText('after', examples('portcullis user show ada@example.com', `portcullis user show ${AN_ID}`))
    .action(async (emailOrId, options) =>
      (await import('./commands.ts')).userShow(context, emailOrId, options),
    )
  user
    .command('history')
    .description('say what happened to a user, one entry of the event log per line, oldest first')
    .argument('<user>', `${EMAIL_OR_ID}, also the id of a removed one`, asciiEmail)
    .option('--since <time>', `only entries from this time on ${A_TIME}`, time)
    .option('--until <time>', 'only entries before this time', time)
    .option('--limit <count>', 'at most so many entries; all by default', limit)
    .option('--reverse', 'newest entry first', false)
    .addOption(jsonLines())
    .addHelpText(
      'after',
      examples(
        'portcullis user history ada@example.com',
        'portcullis user history ada@example.com --reverse --limit 50',
      ),
    )
    .action(async (emailOrId, options) =>
      (await import('./commands.ts')).userHistory(context, emailOrId, options),
    )
  ofUser('set-password', 'replace a forgotten password, and end all sessions of the user')
    .addOption(passwordStdin().makeOptionMandatory())
    .addOption(json())
    .addHelpText(
      'after',
      examples(`${PASSWORD_INPUT} | portcullis user set-password ada@example.com --password-stdin`),
    )
    .action(async (emailOrId, options) =>
      (await import('./commands.ts')).userSetPassword(context, emailOrId, options),
    )
  ofUser('roles', 'show the roles of a user, or change them')
    .option('--add <role>', 'give this role; can be repeated', collectRoles)
    .option('--remove <role>', 'take this role away; can be repeated', collectRoles)
    .addOption(json())
    .addHelpText(
      'after',
      examples(
        'portcullis user roles ada@example.com',
        'portcullis user roles ada@example.com --add shop:admin --remove editor',
      ),
    )
    .action(async (emailOrId, { add = [], remove = [], ...options }) =>
      (await import('./commands.ts')).userRoles(context, emailOrId, { add, remove, ...options }),
    )
  for (const [action, description] of USER_COMMANDS) {
    ofUser(action, description)
      .addOption(json())
      .addHelpText(
        'after',
        examples(`portcullis user ${action} ada@example.com`, `portcullis user ${action} ${AN_ID}`),
      )
      .action(async (emailOrId, options) =>
        (await import('./commands.ts')).userManage(context, action, { user: emailOrId, ...options }),
      )
  }
}

const USER_COMMANDS = [
  ['end-sessions', 'end all sessions of a user, who can sign in again'],
  ['reset-factors', 'remove all second factors of a user who has lost them, and end all sessions'],
  ['disable', 'block sign-in and end all sessions'],
  ['enable', 'allow a disabled user to sign in again; ended sessions stay ended'],
  ['remove', 'remove a user: only the id remains, and the e-mail can be registered again'],
] as const

const EMAIL_OR_ID = 'e-mail address or id of the user'
const AN_ID = '01a20174-dd5e-740b-ab17-65753410836b'
const PASSWORD_INPUT = 'printf %s "$PASSWORD"'
