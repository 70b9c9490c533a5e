import { resolve } from 'node:path'
import { isLeft, right } from 'fp-ts/lib/Either.js'
import type { Database } from '../config/database-url.ts'
import { environmentOf, storeSourceOf, unknownNamesIn } from '../config/environment.ts'
import { keyFileOf, keyIn } from '../config/key-beside-store.ts'
import {
  databaseText,
  type Environment,
  type Settings,
  settingsFrom,
  wrongSettingsText,
} from '../config/settings.ts'
import { wrongFiles } from '../config/wrong-files.ts'
import { PLACE_OF_WITH } from './closed-store.ts'
import type { CommandContext } from './command-context.ts'
import type { Composition } from './composition.ts'
import { CommandFailed, EXIT } from './exit.ts'

/**
 * Reads the settings from the environment. It warns of unknown names in its file, and says where the key comes from if the environment has none.
 *
 * @throws CommandFailed with one line for each wrong setting
 */
export const readSettings = (context: CommandContext): Settings => {
  const settings = checkedSettings(context)
  const { envFile, storeSource } = readEnvironment(context)
  const unknown = unknownNamesIn(envFile)
  if (unknown.length > 0)
    context.writeErr(
      `Warning: ${envFile.name} contains names that are not settings. They have no effect: ${listed(unknown)}.${storeSource?.isInFile && !envFile.isNamed ? OF_ANOTHER_PROGRAM : ''}`,
    )
  if (settings.keyFile !== undefined)
    context.writeErr(`KEY_ENCRYPTION_KEY is not set, so the key in ${settings.keyFile} is used.`)
  return settings
}

/**
 * The settings without a warning.
 *
 * @throws CommandFailed with one line for each wrong setting
 */
export const checkedSettings = (context: CommandContext): Settings => {
  const { environment, keyFile } = withKeyFile(context, readEnvironment(context).environment)
  const settings = settingsFrom(environment)
  const wrong = isLeft(settings) ? settings.left : wrongFiles(settings.right, context.composition)
  if (isLeft(settings) || wrong.length > 0)
    throw new CommandFailed(wrongSettingsText(wrong), EXIT.wrongSettings)
  return { ...settings.right, keyFile }
}

/**
 * Adds the key that lies beside the store, if the environment has none.
 *
 * @throws CommandFailed if it cannot be used
 */
export const withKeyFile = (
  context: CommandContext,
  environment: Environment,
): Readonly<{ environment: Environment; keyFile?: string }> => {
  if (environment.KEY_ENCRYPTION_KEY || environment.KEY_ENCRYPTION_KEY_FILE) return { environment }
  const database = databaseOf(context, environment)
  const keyFile = database && keyFileOf(database)
  const key = keyFile === undefined ? right(undefined) : keyIn(keyFile)
  if (isLeft(key)) throw new CommandFailed(`${key.left}.`, EXIT.wrongSettings)
  return keyFile === undefined || key.right === undefined
    ? { environment }
    : { environment: { ...environment, KEY_ENCRYPTION_KEY: key.right }, keyFile }
}

/** What DATABASE_URL names, also if other settings are wrong. Undefined if it names nothing. */
export const databaseOf = (
  { composition }: CommandContext,
  { DATABASE_URL, DATABASE_URL_FILE }: Environment,
): Database | undefined => {
  const read = composition.parts?.haveStorage ? undefined : settingsFrom({ DATABASE_URL, DATABASE_URL_FILE })
  return read === undefined || isLeft(read) ? undefined : read.right.database
}

/** The store as messages show it: the end of a sentence that begins with "the store is". */
export const storeText = ({ parts }: Composition, settings: Settings): string =>
  parts?.haveStorage ? 'the one of --with' : databaseText(settings)

/** The store of DATABASE_URL as it is named in any folder. */
export const placeOf = ({ folder }: CommandContext, settings: Settings): string =>
  settings.database.kind === 'sqlite' ? resolve(folder, settings.database.path) : databaseText(settings)

/** The store as the sentences about a closed store name it. */
export const storeName = ({ parts }: Composition, settings: Settings): string =>
  parts?.haveStorage ? PLACE_OF_WITH : databaseText(settings)

/** Hides names with unusual characters, because a line of a broken secret can look like a name. */
const listed = (names: ReadonlyArray<string>): string => {
  const shown = names.filter((name) => /^[A-Z][A-Z0-9_]{0,63}$/.test(name)).slice(0, MAX_NAMES)
  const others = names.length - shown.length
  return [...shown, ...(others === 0 ? [] : [`${others} ${shown.length === 0 ? 'not shown' : 'more'}`])].join(
    ', ',
  )
}

const MAX_NAMES = 10

/** Then the store is that of the other program, too. */
const OF_ANOTHER_PROGRAM = ' If the file belongs to another program, name your own in PORTCULLIS_ENV_FILE.'

/**
 * The environment that settings come from, its file, and which setting names the store.
 *
 * @throws WrongSettings if the file cannot be read
 */
export const readEnvironment = ({ environment, ...context }: CommandContext) => {
  const envFile = context.envFile()
  return {
    environment: environmentOf(environment, envFile),
    envFile,
    storeSource: storeSourceOf(environment, envFile),
  }
}

/** Reads the settings of a command that opens the store, and names the store. */
export const readStoreSettings = (context: CommandContext): Settings => {
  const settings = readSettings(context)
  nameStore(context, settings)
  return settings
}

/**
 * Names the store on standard error. In another folder, it is another one.
 *
 * @throws CommandFailed for a store in memory, because a command cannot see the memory of the server
 */
export const nameStore = (context: CommandContext, settings: Settings): void => {
  refuseMemoryStore(context.composition, settings)
  context.writeErr(`Store: ${storeText(context.composition, settings)}${sourceText(context)}`)
}

const sourceText = (context: CommandContext): string => {
  if (context.composition.parts?.haveStorage) return ''
  const { envFile, storeSource } = readEnvironment(context)
  if (storeSource === undefined) return ' (the default)'
  return ` (${storeSource.setting} of ${storeSource.isInFile ? envFile.name : 'the environment'})`
}

const refuseMemoryStore = ({ parts }: Composition, { database }: Settings): void => {
  if (database.kind === 'memory' && !parts?.haveStorage) {
    throw new CommandFailed(
      'DATABASE_URL=memory: is visible only to the server itself. Set it to sqlite:PATH or to a PostgreSQL URL.',
    )
  }
}
