import type { Command } from 'commander'
import type { CommandContext } from './command-context.ts'
import { examples, json } from './options.ts'

export const addMailCommands = (portcullis: Command, context: CommandContext): void => {
  const mail = portcullis.command('mail').description('send mails')
  mail
    .command('test')
    .description('send one mail now, and print what the relay of MAIL_URL answers')
    .argument('<address>', 'e-mail address that receives the mail')
    .addOption(json())
    .addHelpText('after', examples('portcullis mail test ada@example.com'))
    .action(async (address, options) => (await import('./commands.ts')).mailTest(context, address, options))

  const texts = portcullis.command('texts').description('check the texts of PAGES_FOLDER')
  texts
    .command('check')
    .description('fail if a language of PAGES_FOLDER lacks texts')
    .addHelpText('after', examples('portcullis texts check'))
    .action(async () => (await import('./commands.ts')).textsCheck(context))
}
