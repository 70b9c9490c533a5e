import { randomBytes } from 'node:crypto'
import { existsSync } from 'node:fs'
import { dirname } from 'node:path'
import { isLeft } from 'fp-ts/lib/Either.js'
import { makeFolder } from '../config/files/folders.ts'
import { FIRST_RUN_ID, keyFileOf } from '../config/key-beside-store.ts'
import type { MailSettings } from '../config/mail-settings.ts'
import { type Environment, type Settings, settingsFrom } from '../config/settings.ts'
import type { CommandContext } from './command-context.ts'
import { privateFile } from './private-file.ts'
import { checkedSettings, databaseOf, readEnvironment, readSettings, withKeyFile } from './read-settings.ts'

/** The settings of a first run. */
export type FirstRunSettings = Readonly<{
  settings: Settings
  /** Those that other commands have too: what a first run chooses ends with it. */
  shared: Settings
  /** What the operator must know of them, one sentence or more a line. */
  notes: ReadonlyArray<string>
}>

/**
 * The settings of `serve --first-run`. Unless `ACCOUNT_PAGES` is set, it switches the account pages on, with second factors and OpenID Connect: it
 * makes the key that they need, and prints their mails if nothing else sends them.
 *
 * @param confirm rejects if the store must not be created
 * @throws CommandFailed
 */
export const firstRunSettings = async (
  context: CommandContext,
  confirm: (settings: Settings) => Promise<void>,
): Promise<FirstRunSettings> => {
  const { environment } = readEnvironment(context)
  const isWished = environment.ACCOUNT_PAGES !== undefined && environment.ACCOUNT_PAGES !== ''
  const key = keyOf(context, environment)
  const off = isWished ? undefined : offBecause(environment, key)
  if (off !== undefined || (isWished && environment.ACCOUNT_PAGES !== 'on')) {
    const settings = readSettings(context)
    await confirm(settings)
    const notes = off === undefined ? [] : [`The account pages stay off: ${off}`]
    return { settings, shared: settings, notes }
  }
  const on = withAdded(context, {
    ACCOUNT_PAGES: 'on',
    // Pages are for these.
    ...(!isWished && {
      SECOND_FACTORS: environment.SECOND_FACTORS || 'on',
      OPENID: environment.OPENID || 'on',
    }),
    ...(key.kind === 'in memory' && { KEY_ENCRYPTION_KEY: newKey() }),
  })
  // All settings are checked before the question, and before the key is made.
  await confirm(readSettings(key.kind === 'new' ? withAdded(on, { KEY_ENCRYPTION_KEY: newKey() }) : on))
  const made = key.kind === 'new' ? await makeKeyFile(key.path) : []
  const settings = checkedSettings(on)
  const notes = [...(isWished ? [] : [ON]), ...made]
  const secondFactors = environment.SECOND_FACTORS === 'on'
  const shared = isWished ? settings : { ...settings, secondFactors, pages: undefined, openid: false }
  const { pages, mail } = settings
  if (pages === undefined || mail !== undefined) return { settings, shared, notes }
  return {
    settings: {
      ...settings,
      // Only who reads this terminal can finish a registration.
      pages: { ...pages, registration: environment.PAGES_REGISTRATION !== 'off' },
      mail: { ...PRINTED, name: pages.name },
    },
    shared,
    notes: [...notes, MAILS_HERE],
  }
}

const ON =
  'The account pages, second factors and OpenID Connect are on for this run. Set ACCOUNT_PAGES=on, SECOND_FACTORS=on and OPENID=on to keep them.'
const MAILS_HERE = 'MAIL_URL is not set, so mails are printed here.'

/** Nothing leaves this machine, so the addresses are examples (RFC 2606). */
const PRINTED: Omit<MailSettings, 'name'> = {
  relay: 'terminal',
  from: { name: undefined, address: 'portcullis@example.com' },
  contact: 'help@example.com',
  connections: 1,
  extra: [],
}

/** Where the key of a first run comes from. `none`: there is none, and it can make none. */
type Key =
  | Readonly<{ kind: 'given' | 'in memory' }>
  | Readonly<{ kind: 'new'; path: string }>
  | Readonly<{ kind: 'none'; why: string }>

/** A key is made only with its store. Another one than that of a store would lock its users out. */
const keyOf = (context: CommandContext, environment: Environment): Key => {
  const database = databaseOf(context, environment)
  // Before the key: a first run that made this store meanwhile made its key before.
  const haveStore = database?.kind === 'sqlite' && existsSync(database.path)
  const { environment: keyed } = withKeyFile(context, environment)
  if (keyed.KEY_ENCRYPTION_KEY || keyed.KEY_ENCRYPTION_KEY_FILE) return { kind: 'given' }
  if (database?.kind === 'memory') return { kind: 'in memory' }
  const path = database && keyFileOf(database)
  if (path === undefined) return { kind: 'none', why: 'only a SQLite store has a folder for their key.' }
  return haveStore
    ? { kind: 'none', why: 'the store exists already, and no key lies beside it.' }
    : { kind: 'new', path }
}

/** Why pages cannot be switched on, and what to do. Undefined if they can. */
const offBecause = ({ PUBLIC_URL, HOST }: Environment, key: Key): string | undefined => {
  if (key.kind === 'none') return `${key.why} Set KEY_ENCRYPTION_KEY for them.`
  const wished = { ACCOUNT_PAGES: 'on', KEY_ENCRYPTION_KEY: newKey(), PUBLIC_URL, HOST }
  const read = settingsFrom(wished)
  const wrong = isLeft(read) ? read.left.find((sentence) => sentence.startsWith('ACCOUNT_PAGES')) : undefined
  return wrong && `${wrong}.`
}

/** Makes the file of a new key. If another first run makes one meanwhile, it has won. */
const makeKeyFile = async (path: string): Promise<ReadonlyArray<string>> => {
  try {
    makeFolder(dirname(path))
  } catch {
    // Writing the file says why.
  }
  try {
    await writeOnce(path, `${newKey()}\n`)
  } catch (error) {
    if (existsSync(path)) return [] // another first run was faster, and all use its key
    throw error
  }
  return [
    `${path} is new: the key that encrypts secrets of this store. In production, keep it elsewhere, and set KEY_ENCRYPTION_KEY_FILE.`,
  ]
}

const writeOnce = async (path: string, text: string): Promise<void> => {
  const file = await privateFile(path)
  try {
    await file.append(text)
    await file.publish()
  } finally {
    await file.discard()
  }
}

/** 256 random bits. The id tells keys apart: a store says which one it lacks. */
const newKey = (): string =>
  `${FIRST_RUN_ID}${randomBytes(3).toString('hex')}:${randomBytes(32).toString('hex')}`

const withAdded = (context: CommandContext, added: Environment): CommandContext => ({
  ...context,
  environment: { ...context.environment, ...added },
})
