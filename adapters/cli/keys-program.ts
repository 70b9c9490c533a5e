import { type Command, Option } from 'commander'
import { KEY_PURPOSES } from '../../domain/signing-key.ts'
import type { CommandContext } from './command-context.ts'
import { examples, json, jsonLines } from './options.ts'

export const addKeyCommands = (portcullis: Command, context: CommandContext): void => {
  const keys = portcullis.command('keys').description('manage the keys that sign tokens')
  keys
    .command('list')
    .description('list the keys in use without their secrets, oldest first')
    .addOption(jsonLines())
    .addHelpText('after', examples('portcullis keys list'))
    .action(async (options) => (await import('./commands.ts')).keysList(context, options))
  keys
    .command('rotate')
    .description('make new keys; they are published before they sign, and the old keys still verify')
    .addOption(
      new Option('--purpose <purpose>', 'rotate only the keys for this kind of token').choices(KEY_PURPOSES),
    )
    .option('--leaked', 'revoke now: tokens signed by the old keys stop working', false)
    .addOption(json())
    .addHelpText(
      'after',
      examples('portcullis keys rotate --purpose user', 'portcullis keys rotate --leaked'),
    )
    .action(async (options) => (await import('./commands.ts')).keysRotate(context, options))
}
