import { type Command, Option } from 'commander'
import { EVENT_TYPES } from '../../application/recording/events/table.ts'
import { REFUSAL_REASONS } from '../../domain/refusal-reasons.ts'
import type { CommandContext } from './command-context.ts'
import { A_TIME, cursor, date, examples, json, jsonLines, limit, time } from './options.ts'

/** `portcullis events …` */
export const addEventCommands = (portcullis: Command, context: CommandContext): void => {
  const events = portcullis.command('events').description('read the event log')
  events
    .command('list')
    .description('print entries of the event log, oldest first; all conditions apply together')
    .addOption(
      new Option(
        '--after <cursor>',
        'only later entries: a position, or the EPOCH:POSITION that the last listing printed',
      )
        .argParser(cursor)
        .default({ epoch: undefined, position: 0 }, '0'),
    )
    .option('--since <time>', `only entries from this time on ${A_TIME}`, time)
    .option('--until <time>', 'only entries before this time', time)
    .option('--user <user>', 'only entries about this user, or by it: e-mail address or id')
    .option('--application <application>', 'only entries about this application, or by it: id or name')
    .addOption(new Option('--type <type...>', 'only entries of these types').choices(EVENT_TYPES))
    .addOption(new Option('--reason <reason>', 'only refusals with this reason').choices(REFUSAL_REASONS))
    .option('--limit <count>', 'at most so many entries; all by default', limit)
    .option('--reverse', 'newest entry first', false)
    .addOption(
      new Option('--follow', 'go on with new entries until Ctrl-C')
        .default(false)
        .conflicts(['reverse', 'until']),
    )
    .addOption(jsonLines())
    .addHelpText(
      'after',
      examples(
        'portcullis events list --after 3fa81c02:1234 --json',
        'portcullis events list --type UserRemoved --type UserDisabled',
        'portcullis events list --reason wrong_password --since 2026-11-22 --until 2026-11-23',
        'portcullis events list --user ada@example.com --reverse --limit 50',
        'portcullis events list --application shop --follow',
      ),
    )
    .action(async (options) => (await import('./commands.ts')).eventsList(context, options))
  events
    .command('renew')
    .description('start a new epoch of the log: once, after a restore from a raw copy of the store')
    .addOption(json())
    .addHelpText('after', examples('portcullis events renew'))
    .action(async (options) => (await import('./commands.ts')).eventsRenew(context, options))
  events
    .command('checkpoint')
    .description('print a signed checkpoint of the log; keep it outside of this machine')
    .addOption(json())
    .addHelpText('after', examples('portcullis events checkpoint > checkpoint-2026-11-22.txt'))
    .action(async (options) => (await import('./commands.ts')).eventsCheckpoint(context, options))
  events
    .command('verify')
    .description(
      'prove that the log agrees with its tree and with kept checkpoints, or verify an exported log',
    )
    .option('--against <file...>', 'checkpoints that you kept')
    .option('--from <place>', 'a published log instead of the store: a folder or a URL')
    .option('--vkey <key...>', 'with --from: the verifier keys that you trust, from events key')
    .option('--token-file <file>', 'with a URL: a file with the bearer token that its server wants')
    .addOption(json())
    .addHelpText(
      'after',
      examples(
        'portcullis events verify',
        'portcullis events verify --against checkpoint-2026-11-22.txt',
        'portcullis events verify --from ./log --vkey "$VKEY" --against checkpoint-2026-11-22.txt',
        'portcullis events verify --from https://id.example.com/api/v1/log --token-file token --vkey "$VKEY"',
      ),
    )
    .action(async (options) => (await import('./commands.ts')).eventsVerify(context, options))
  events
    .command('export')
    .description('write the log as files that others can verify; a repetition adds what is new')
    .argument(
      '<folder>',
      'a folder that only you can read; to publish it, copy it for your web server (docs/verify-log.md)',
    )
    .addOption(json())
    .addHelpText('after', examples('portcullis events export ./log'))
    .action(async (folder, options) => (await import('./commands.ts')).eventsExport(context, folder, options))
  events
    .command('prune')
    .description('remove old entries without effect from the log, after they were exported')
    .addOption(
      new Option(
        '--before <date>',
        'prune entries before this date or time (RFC 3339; a date means 00:00 UTC)',
      )
        .argParser(date)
        .makeOptionMandatory(),
    )
    .addOption(
      new Option(
        '--exported <folder>',
        'the log that events export has written: it keeps the entries',
      ).makeOptionMandatory(),
    )
    .option(
      '--prove-again',
      'prove earlier prunings that only some keys of EVENT_LOG_KEY prove with every key',
    )
    .addOption(json())
    .addHelpText('after', examples('portcullis events prune --before 2025-11-22 --exported ./log'))
    .action(async (options) => (await import('./commands.ts')).eventsPrune(context, options))
  events
    .command('key')
    .description('print the verifier keys of the checkpoints, for those who verify them')
    .addOption(jsonLines())
    .addHelpText('after', examples('portcullis events key'))
    .action(async (options) => (await import('./commands.ts')).eventsKey(context, options))
}
