/** Every command with valid arguments, and the options that its help explains. */
export const COMMANDS: ReadonlyArray<
  readonly [command: string, rest: string, options: ReadonlyArray<string>]
> = [
  ['serve', '', ['--first-run']],
  ['application create', ' --name A', ['--name', '--scope', '--json']],
  ['application list', '', ['--json']],
  ['application rotate', ' some-id', ['<id>', '--overlap', '--json']],
  ['application revoke', ' some-id', ['<id>', '--json']],
  ['user create', ' --email a@b.c --password-stdin', ['--email', '--password-stdin', '--json']],
  ['user import', ' users.jsonl', ['<file>', '--dry-run', '--json']],
  ['user list', '', ['--status', '--email', '--after', '--limit', '--json']],
  ['user show', ' a@b.c', ['<user>', '--json']],
  ['user set-password', ' a@b.c --password-stdin', ['<user>', '--password-stdin', '--json']],
  ['user end-sessions', ' a@b.c', ['<user>', '--json']],
  ['user disable', ' a@b.c', ['<user>', '--json']],
  ['user enable', ' a@b.c', ['<user>', '--json']],
  ['user remove', ' a@b.c', ['<user>', '--json']],
  ['keys list', '', ['--json']],
  ['keys rotate', '', ['--purpose', '--leaked', '--json']],
  ['events list', '', ['--after', '--type', '--json']],
  ['events renew', '', ['--json']],
  ['backup', ' copy.db', ['<file>', '--json']],
  ['doctor', '', ['--json']],
]

/** All commands except the one that runs until it is stopped. */
export const ONE_SHOT_COMMANDS = COMMANDS.filter(([command]) => command !== 'serve')
