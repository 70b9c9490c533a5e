import { relative, sep } from 'node:path'
import type { CommandContext } from './command-context.ts'

/** What a person types to run a command where this program runs, without the words of the command. */
export const startedAs = ({
  environment,
  script,
  folder,
}: Pick<CommandContext, 'environment' | 'script' | 'folder'>): string =>
  // Set where commands run in another way than the server: by the systemd unit and by compose.yaml.
  environment.PORTCULLIS_COMMAND || startOf(script, folder)

const startOf = (script: string, folder: string): string => {
  const inside = relative(folder, script)
  const path = inside.startsWith('..') ? script : inside
  return /\.[cm]?[jt]s$/.test(script) ? `node ${quotedForShell(path)}` : quotedForShell(withFolder(path))
}

/** A shell looks for a name without a slash elsewhere. */
const withFolder = (path: string): string => (path.includes(sep) ? path : `.${sep}${path}`)

const quotedForShell = (path: string): string =>
  /^[\w@%+:,./-]+$/.test(path) ? path : `'${path.replaceAll("'", "'\\''")}'`
