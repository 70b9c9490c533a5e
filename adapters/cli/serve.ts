import { hostname } from 'node:os'
import { relative, sep } from 'node:path'
import { isLeft } from 'fp-ts/lib/Either.js'
import { isNone, isSome } from 'fp-ts/lib/Option.js'
import { hasAccounts } from '../../application/accounts/first-run.ts'
import { hasPassword } from '../../domain/user.ts'
import { originOf, prefixOf, type Settings } from '../config/settings.ts'
import { closedSentence } from './closed-store.ts'
import type { CommandContext } from './command-context.ts'
import type { Servable } from './composition.ts'
import { curlLines } from './curl-lines.ts'
import { CommandFailed } from './exit.ts'
import { firstRunSettings } from './first-run.ts'
import { missingTexts } from './mail.ts'
import { confirmNewStore } from './new-store.ts'
import { noOtherFailure, operatorContext, runOrFail } from './operations.ts'
import { readSettings, storeName, storeText } from './read-settings.ts'
import { refuseForeignPasswords } from './readable-passwords.ts'
import { notedByServer } from './servers-finding.ts'
import { quotedForShell } from './shell.ts'

/** `portcullis serve`: on SIGINT or SIGTERM, it answers all open requests and stops. */
export const serve = async (
  context: CommandContext,
  { firstRun, yes }: { firstRun: boolean; yes: boolean },
): Promise<void> => {
  const stopped = context.untilStopped()
  const confirm = (settings: Settings) => confirmNewStore(context, settings, { yes, asks: false })
  const { settings, shared, notes } = await (firstRun ? firstRunSettings : plainSettings)(context, confirm)
  const flushed = () => Promise.race([context.flushOut(), stopped.then(() => 'nothing reads it')])
  for (const missing of missingTexts(context, settings))
    context.writeErr(`Warning: ${missing}. English stands in for them.`)
  const service = await context.composition.compose(settings, (lines) => {
    for (const line of lines) context.writeOut(line)
    return flushed()
  })
  try {
    await refuseForeignPasswords(service)
    await listen(service, settings)
    await service.noteServer({
      name: `${originOf(settings.host, settings.port)} on ${hostname()}`,
      settings: notedByServer(context.composition, { settings, shared }),
    })
    context.writeOut(
      `Portcullis listens on ${localUrl(settings)}. Its store is ${storeText(context.composition, settings)}. Press Ctrl-C to stop.`,
    )
    if (settings.metricsPort !== undefined)
      context.writeOut(`Metrics: ${reachableOrigin(settings.host, settings.metricsPort)}/metrics`)
    for (const line of await passwordWarning(service, context)) context.writeOut(line)
    for (const note of notes) context.writeOut(note)
    if (firstRun) {
      await expectOutput(service, flushed)
      await printFirstAccounts(service, context, flushed)
    } else await printHints(service, context)
    const copyState = await Promise.race([stopped.then(() => undefined), service.storeClosed])
    if (copyState !== undefined)
      throw new CommandFailed(closedSentence(storeName(context.composition, settings), copyState))
  } finally {
    await service.stop()
  }
}

const plainSettings: typeof firstRunSettings = async (context, confirm) => {
  const settings = readSettings(context)
  await confirm(settings)
  return { settings, shared: settings, notes: [] }
}

const listen = async (service: Servable, settings: Settings): Promise<void> => {
  try {
    await service.listen(settings.host, settings.port)
  } catch (error) {
    throw new CommandFailed(cannotListen(error, settings))
  }
}

/**
 * Says why the service cannot listen, and which setting to change.
 *
 * @param error the error of `node:net`, which may name the port
 */
export const cannotListen = (
  error: unknown,
  settings: Pick<Settings, 'host' | 'port' | 'metricsPort'>,
): string => {
  const { host, metricsPort } = settings
  const { code = 'unknown', port: failed } = Object(error) as Readonly<{ code?: string; port?: number }>
  const [port, setting] =
    failed !== undefined && failed === metricsPort ? [failed, 'METRICS_PORT'] : [settings.port, 'PORT']
  switch (code) {
    case 'EADDRINUSE':
      return `Port ${port} of ${host} is in use. Stop the program that uses it, or set ${setting} to another port.`
    case 'EACCES':
      return `This process may not listen on port ${port} of ${host} (${code}). Set ${setting} to 1024 or higher, or grant it CAP_NET_BIND_SERVICE.`
    default:
      return `Cannot listen on port ${port} of ${host} (${code}). Set HOST and ${setting} to an address of this machine.`
  }
}

/** Without this warning, a missing pepper would look like wrong passwords. A sample of the users is enough to find it. */
const passwordWarning = async (
  { store, passwordHasher }: Servable,
  context: CommandContext,
): Promise<ReadonlyArray<string>> => {
  const { parts } = context.composition
  const users = await store.listRows({ table: 'users', after: '', limit: SAMPLE_SIZE })()
  if (isLeft(users)) return []
  const { length } = users.right.filter(
    (user) => hasPassword(user) && passwordHasher.assess(user.passwordRecord) === 'unreadable',
  )
  const cause = parts?.havePasswordHasher
    ? 'the password hasher of --with cannot read their records'
    : 'PASSWORD_PEPPER lacks the pepper of their passwords'
  return length === 0
    ? []
    : [
        `Warning: ${length} of the first ${users.right.length} users cannot sign in, because ${cause}. Run: ${commandIn(context)} doctor`,
      ]
}

const SAMPLE_SIZE = 1_000

/** Resolves when the output is written, or with the reason why it is lost. */
type Flushed = () => Promise<string | undefined>

/** Accounts whose secrets nothing shows would be lost. */
const expectOutput = async ({ store }: Servable, flushed: Flushed): Promise<void> => {
  const found = await hasAccounts(store)()
  if (isLeft(found) || found.right) return // none will be made
  const lostBecause = await flushed()
  if (lostBecause !== undefined)
    throw new CommandFailed(
      `The output could not be written (${lostBecause}), so no accounts were made. Write it to a terminal or a file with room.`,
    )
}

const printFirstAccounts = async (
  service: Servable,
  context: CommandContext,
  flushed: Flushed,
): Promise<void> => {
  const made = await runOrFail(service.firstRun(operatorContext(service.settings, context)), noOtherFailure)
  const { settings } = service
  const signIn = settings.pages && `${settings.publicUrl}/account/sign-in`
  const lines = isSome(made)
    ? curlLines(made.value, { baseUrl: localUrl(settings), signIn })
    : [
        'The store already has accounts, so none were made. To make more:',
        ...accountCommands(context),
        ...(signIn === undefined ? [] : [`Users sign in on ${signIn}`]),
      ]
  for (const line of ['', ...lines]) context.writeOut(line)
  if (isNone(made)) return
  const lostBecause = await flushed()
  if (lostBecause !== undefined)
    throw new CommandFailed(
      `The output could not be written (${lostBecause}), so the secrets of the first accounts are lost. Run: ${commandIn(context)} application create --name NAME, and ${commandIn(context)} user set-password ${made.value.email} --password-stdin`,
    )
}

/** Without `--first-run`, the server makes no account and prints no secret: it names the commands. */
const printHints = async (service: Servable, context: CommandContext): Promise<void> => {
  const found = await hasAccounts(service.store)()
  if (isLeft(found) || found.right) return // only a hint: an unavailable store must not stop the server
  const isMemory = service.settings.database.kind === 'memory' && !context.composition.parts?.haveStorage
  const lines = isMemory
    ? MEMORY_HINT
    : ['The store has no accounts yet. To make them:', ...accountCommands(context)]
  for (const line of lines) context.writeOut(line)
}

const accountCommands = (context: CommandContext): ReadonlyArray<string> => [
  `  ${commandIn(context)} application create --name NAME`,
  `  ${commandIn(context)} user create --email EMAIL --password-stdin`,
]

const commandIn = (context: CommandContext): string => {
  const { parts } = context.composition
  return parts === undefined ? startedAs(context) : `${startedAs(context)} --with ${parts.file}`
}

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

/** Commands run in other processes, which cannot reach this memory. */
const MEMORY_HINT = [
  'The store has no accounts, and commands cannot reach a store in memory. Use serve --first-run.',
]

/** The URL of the service on this machine. Clients cannot connect to a wildcard address, so loopback replaces it. */
const localUrl = (settings: Settings): string =>
  `${reachableOrigin(settings.host, settings.port)}${prefixOf(settings)}`

const reachableOrigin = (host: string, port: number): string =>
  originOf(host === '0.0.0.0' ? '127.0.0.1' : host === '::' ? '::1' : host, port)
