import type { Argument, Command } from 'commander'
import { program } from '../../adapters/cli/program.ts'
import { composition } from '../../adapters/composition/compose.ts'

const SILENT = {
  loadComposition: async () => composition,
  script: '',
  environment: {},
  folder: '/',
  systemUser: () => undefined,
  input: process.stdin,
  writeOut: () => {},
  flushOut: async () => undefined,
  pause: async () => {},
  writeErr: () => {},
  untilStopped: async () => {},
}

export type NamedCommand = Readonly<{ name: string; command: Command }>

/** Every command that does something, under its full name: `user create`. */
export const commandsOf = (parent: Command = program(SILENT), before = ''): ReadonlyArray<NamedCommand> =>
  parent.commands.flatMap((command) => {
    const name = `${before}${command.name()}`
    return command.commands.length === 0 ? [{ name, command }] : commandsOf(command, `${name} `)
  })

/** Valid arguments of the commands that need some. */
const ARGUMENTS: Readonly<Record<string, string>> = {
  'mail test': 'ada@example.com',
  'mail retry': '--all',
  'mail drop': '--all',
  'application create': '--name A',
  'application set': 'some-id',
  'application set-passkey-origins': 'some-id',
  'application rotate': 'some-id',
  'application revoke': 'some-id',
  'user create': '--email a@b.c --password-stdin',
  'user import': 'users.jsonl',
  'user export': 'exported.jsonl',
  'user show': 'a@b.c',
  'user history': 'a@b.c',
  'user set-password': 'a@b.c --password-stdin',
  'user roles': 'a@b.c',
  'user end-sessions': 'a@b.c',
  'user reset-factors': 'a@b.c',
  'user disable': 'a@b.c',
  'user enable': 'a@b.c',
  'user remove': 'a@b.c',
  'events export': 'some-folder',
  'events prune': '--before 2026-01-01 --exported some-folder',
  backup: 'copy.db',
  'store copy': 'sqlite:moved.db',
}

/** An argument as the usage shows it. */
export const argumentText = (argument: Argument): string => {
  const name = `${argument.name()}${argument.variadic ? '...' : ''}`
  return argument.required ? `<${name}>` : `[${name}]`
}

/** Every command with valid arguments, and what its help explains: its arguments and options. */
export const COMMANDS: ReadonlyArray<
  readonly [command: string, rest: string, explained: ReadonlyArray<string>]
> = commandsOf().map(({ name, command: { registeredArguments, options } }) => [
  name,
  name in ARGUMENTS ? ` ${ARGUMENTS[name]}` : '',
  [...registeredArguments.map(argumentText), ...options.map(({ long }) => long ?? '')],
])

/** All commands that open a store, except the one that runs until it is stopped. */
export const ONE_SHOT_COMMANDS = COMMANDS.filter(
  ([command]) => !['serve', 'mail test', 'texts check'].includes(command),
)
