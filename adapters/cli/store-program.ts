import type { Command } from 'commander'
import type { CommandContext } from './command-context.ts'
import { examples, json } from './options.ts'

export const addStoreCommands = (portcullis: Command, context: CommandContext): void => {
  const store = portcullis.command('store').description('move the store into another database')
  store
    .command('copy')
    .description(
      'copy the store of DATABASE_URL into an empty one, and close it; tokens, keys and cursors stay valid',
    )
    .argument('<to-url>', 'the target: sqlite:PATH or a PostgreSQL URL; with: is the store of --with')
    .addOption(json())
    .addHelpText(
      'after',
      examples(
        'portcullis store copy postgres://portcullis@db.example.com/portcullis',
        'portcullis store copy sqlite:./data/portcullis.db --json',
      ),
    )
    .action(async (to, options) => (await import('./commands.ts')).storeCopy(context, to, options))
}
