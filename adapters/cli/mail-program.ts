import { type Command, Option } from 'commander'
import { MAIL_STATES } from '../../domain/mail.ts'
import type { CommandContext } from './command-context.ts'
import { examples, json, jsonLines, limit } from './options.ts'

export const addMailCommands = (portcullis: Command, context: CommandContext): void => {
  const mail = portcullis.command('mail').description('send a test mail, and manage the mails that wait')
  mail
    .command('test')
    .description('send one mail now, and print what the relay of MAIL_URL answers')
    .argument('<address>', 'e-mail address that receives the mail')
    .addOption(json())
    .addHelpText('after', examples('portcullis mail test ada@example.com'))
    .action(async (address, options) => (await import('./commands.ts')).mailTest(context, address, options))
  mail
    .command('list')
    .description(
      'list the mails that wait or failed, one per line, oldest first, without their addresses; only a service with MAIL_URL sends them',
    )
    .addOption(state('only mails in this state'))
    .option('--after <id>', 'only mails behind this one, which a listing with --limit prints')
    .option('--limit <count>', 'at most so many mails; all by default', limit)
    .addOption(jsonLines())
    .addHelpText('after', examples('portcullis mail list', 'portcullis mail list --state failed --limit 100'))
    .action(async (options) => (await import('./commands.ts')).mailList(context, options))
  mail
    .command('retry')
    .description('let failed mails wait again, as new ones; only a service with MAIL_URL sends them')
    .argument('[id]', 'id of one failed mail, from mail list')
    .option('--all', 'all failed mails', false)
    .addOption(json())
    .addHelpText('after', examples(`portcullis mail retry ${AN_ID}`, 'portcullis mail retry --all'))
    .action(async (id, { all, ...options }, command: Command) => {
      if ((id === undefined) !== all) command.error(ONE_OR_ALL)
      await (await import('./commands.ts')).mailRetry(context, { id, ...options })
    })
  mail
    .command('drop')
    .description(
      'delete mails in any state, so that they are not sent; one that is being sent may still arrive',
    )
    .argument('[id]', 'id of one mail, from mail list')
    .option('--all', 'all mails', false)
    .addOption(state('with --all: only mails in this state'))
    .addOption(json())
    .addHelpText(
      'after',
      examples(`portcullis mail drop ${AN_ID}`, 'portcullis mail drop --all --state failed'),
    )
    .action(async (id, { all, ...options }, command: Command) => {
      if ((id === undefined) !== all || (!all && options.state !== undefined)) command.error(ONE_OR_ALL)
      await (await import('./commands.ts')).mailDrop(context, { id, ...options })
    })

  const texts = portcullis.command('texts').description('check the texts of PAGES_FOLDER')
  texts
    .command('check')
    .description('fail if a language of PAGES_FOLDER lacks texts')
    .addHelpText('after', examples('portcullis texts check'))
    .action(async () => (await import('./commands.ts')).textsCheck(context))
}

const state = (description: string): Option => new Option('--state <state>', description).choices(MAIL_STATES)

const ONE_OR_ALL = "error: name one mail by its id, or all with the option '--all'"
const AN_ID = '01a20174-dd5e-740b-ab17-65753410836b'
