import { isLeft } from 'fp-ts/lib/Either.js'
import { isSome } from 'fp-ts/lib/Option.js'
import { hasAccounts } from '../../../application/first-run.ts'
import { NO_REQUEST } from '../../../application/recording/recorder.ts'
import { databaseText, prefixOf, type Settings } from '../../config/settings.ts'
import { cannotListen } from './cannot-listen.ts'
import type { Servable } from './composition.ts'
import { curlLines } from './curl-lines.ts'
import { CommandFailed } from './exit.ts'
import { orRefuse, readSettings } from './operations.ts'
import { expectOwnPasswords } from './readable-passwords.ts'
import type { Terminal } from './terminal.ts'

/** `portcullis serve`: until SIGINT or SIGTERM, and then until everybody is answered. */
export const serve = async (terminal: Terminal, { firstRun }: { firstRun: boolean }): Promise<void> => {
  const stopped = terminal.untilStopped()
  const settings = readSettings(terminal)
  const service = await terminal.composition.compose(settings)
  try {
    await expectOwnPasswords(service)
    await listen(service, settings)
    terminal.print(
      `Portcullis listens on ${localUrl(settings)} with its store in ${databaseText(settings)}, and stops on Ctrl-C.`,
    )
    if (settings.metricsPort !== undefined)
      terminal.print(`Its metrics are on ${originOf(settings.host, settings.metricsPort)}/metrics.`)
    for (const line of await unreadablePasswords(service)) terminal.print(line)
    if (firstRun) await introduce(service, terminal)
    else await pointOut(service, terminal)
    await stopped
  } finally {
    await service.stop()
  }
}

const listen = async (service: Servable, settings: Settings): Promise<void> => {
  try {
    await service.listen(settings.host, settings.port)
  } catch (error) {
    throw new CommandFailed(cannotListen(error, settings))
  }
}

/** A pepper that was forgotten at the start shows only as passwords that do not match: some users are enough to see it. */
const unreadablePasswords = async ({ store, passwordHasher }: Servable): Promise<ReadonlyArray<string>> => {
  const users = await store.listRows({ table: 'users', after: '', limit: LOOKED_AT })()
  if (isLeft(users)) return []
  const { length } = users.right.filter(
    ({ status, passwordRecord }) =>
      status !== 'removed' && passwordHasher.assess(passwordRecord) === 'unreadable',
  )
  return length === 0
    ? []
    : [
        `Warning: ${length} of the first ${users.right.length} users cannot sign in: PASSWORD_PEPPER lacks the pepper of their passwords. See: portcullis doctor`,
      ]
}

const LOOKED_AT = 1_000

const introduce = async (service: Servable, terminal: Terminal): Promise<void> => {
  const made = await orRefuse(service.firstRun(NO_REQUEST), (failure: never) => failure)
  const lines = isSome(made) ? curlLines(made.value, localUrl(service.settings)) : ACCOUNTS_EXIST
  for (const line of ['', ...lines]) terminal.print(line)
}

const ACCOUNTS_EXIST = [
  'This store has accounts already; secrets are shown only when they are made. For others:',
  '  npx portcullis application create --name NAME',
  '  npx portcullis user create --email EMAIL --password-stdin',
]

/** A bare `serve` makes nothing and shows no secret: it only says what there is to do. */
const pointOut = async (service: Servable, terminal: Terminal): Promise<void> => {
  const found = await hasAccounts(service.store)()
  if (isLeft(found) || found.right) return // only a hint: a store that is away for a moment is no reason to stop
  for (const line of service.settings.database.kind === 'memory' ? NOBODY_EVER : NOBODY_YET)
    terminal.print(line)
}

const NOBODY_YET = [
  'Nobody is registered yet. To begin:',
  '  npx portcullis application create --name NAME',
  '  npx portcullis user create --email EMAIL --password-stdin',
]

/** No other process can register anybody there. */
const NOBODY_EVER = [
  'Nobody is registered, and nobody can be: this store is gone with the process. Use serve --first-run.',
]

/** Where this machine reaches the service: a wildcard address is no place to go to. */
const localUrl = (settings: Settings): string =>
  `${originOf(settings.host, settings.port)}${prefixOf(settings)}`

const originOf = (host: string, port: number): string => {
  const name = host === '0.0.0.0' ? '127.0.0.1' : host === '::' ? '::1' : host
  return `http://${name.includes(':') ? `[${name}]` : name}:${port}`
}
