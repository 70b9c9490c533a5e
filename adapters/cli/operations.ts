import { isLeft, right } from 'fp-ts/lib/Either.js'
import type { TaskEither } from 'fp-ts/lib/TaskEither.js'
import type { PasswordCheckUnavailable } from '../../application/ports/failures.ts'
import type { HashingRefused } from '../../application/ports/password-hasher.ts'
import type { StoreOpening } from '../../application/ports/storage.ts'
import type { StoreUnavailable } from '../../application/ports/store.ts'
import type { RequestContext } from '../../application/recording/recorder.ts'
import { isName } from '../../domain/name.ts'
import type { Database } from '../config/database-url.ts'
import { environmentOf, unknownNamesIn } from '../config/environment.ts'
import { keyFileOf, keyIn } from '../config/key-beside-store.ts'
import {
  databaseText,
  type Environment,
  type Settings,
  settingsFrom,
  wrongSettingsText,
} from '../config/settings.ts'
import { wrongFiles } from '../config/wrong-files.ts'
import { closedSentence, closedState, PLACE_OF_WITH } from './closed-store.ts'
import type { CommandContext } from './command-context.ts'
import type { Composition, Operations } from './composition.ts'
import { CommandFailed, EXIT } from './exit.ts'
import { printableOnLine } from './printable.ts'

/**
 * Reads the settings. It warns of unknown names in `.env`, and says where the key comes from if the environment has none.
 *
 * @param isKeyNew the file of the key was just made, so the output names it
 * @throws CommandFailed with one line for each wrong setting
 */
export const readSettings = (context: CommandContext, { isKeyNew = false } = {}): Settings => {
  const settings = checkedSettings(context)
  const { unknown } = readEnvironment(context)
  if (unknown.length > 0)
    context.writeErr(
      `Warning: .env contains names that are not settings. They have no effect: ${listed(unknown)}.`,
    )
  if (settings.keyFile !== undefined && !isKeyNew)
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

/** @throws CommandFailed if `.env` cannot be read */
export const readEnvironment = ({ environment, folder }: CommandContext) => {
  try {
    return { environment: environmentOf(environment, folder), unknown: unknownNamesIn(folder) }
  } catch {
    throw new CommandFailed(
      `The file .env in ${folder} cannot be read. Make it a readable file in UTF-8, or remove it.`,
      EXIT.wrongSettings,
    )
  }
}

/** @throws CommandFailed for a store in memory, because a command cannot see the memory of the server */
export const refuseMemoryStore = ({ parts }: Composition, { database }: Settings): void => {
  if (database.kind === 'memory' && !parts?.haveStorage) {
    throw new CommandFailed(
      'DATABASE_URL=memory: is visible only to the server itself. Set it to sqlite:PATH or to a PostgreSQL URL.',
    )
  }
}

/**
 * Opens the store, runs a command and closes the store again. It refuses a store that a copy has closed.
 *
 * @param command passes `asOperator` to every operation that writes, so that the event log names the operator
 * @param opening `migrate` only for commands that may create a store. In the wrong folder, other commands would create an empty store
 *   and report success.
 * @param ifMoved `allowed` for commands that only read, and for the one that opens such a store again
 */
export const withOperations = async (
  context: CommandContext,
  command: (operations: Operations, asOperator: RequestContext) => Promise<void>,
  opening: StoreOpening = 'existing',
  ifMoved: 'refused' | 'allowed' = 'refused',
): Promise<void> => {
  const settings = readSettings(context)
  refuseMemoryStore(context.composition, settings)
  const operations = await context.composition.composeOperations(settings, opening)
  try {
    await refuseClosed(operations, storeName(context.composition, settings), ifMoved)
    await command(operations, operatorContext(settings, context))
  } finally {
    await operations.close()
  }
}

/** The same for commands that only read: they also read a store that has moved. */
export const withReads = (
  context: CommandContext,
  command: Parameters<typeof withOperations>[1],
): Promise<void> => withOperations(context, command, 'existing', 'allowed')

/** @throws CommandFailed if a copy has closed the store */
export const refuseClosed = async (
  operations: Pick<Operations, 'storeCopy'>,
  name: string,
  ifMoved: 'refused' | 'allowed',
): Promise<void> => {
  const copyState = await closedState(operations)
  if (copyState === undefined || (copyState.state === 'moved' && ifMoved === 'allowed')) return
  throw new CommandFailed(closedSentence(name, copyState))
}

/**
 * The context of a command, with the operator's name for the event log: `OPERATOR`, else `SUDO_USER`, else the system's user. Operators
 * can set these variables, so the name proves nothing (docs/events.md).
 */
export const operatorContext = (
  { operator }: Settings,
  { environment, systemUser }: CommandContext,
): RequestContext => {
  const name = [operator, environment.SUDO_USER, systemUser()].find((one) => one !== undefined && isName(one))
  return name === undefined ? {} : { operator: name }
}

/** The failures that any operation can have. */
type CommonFailure = HashingRefused | PasswordCheckUnavailable | StoreUnavailable

/**
 * Runs an operation and returns its result.
 *
 * @param explain makes a sentence of a failure that only this operation has
 * @throws CommandFailed
 */
export const runOrFail = async <F extends { _tag: string }, A>(
  operation: TaskEither<F | CommonFailure, A>,
  explain: (failure: Exclude<F, CommonFailure>) => string,
): Promise<A> => {
  const result = await operation()
  if (isLeft(result)) throw new CommandFailed(sentence(result.left, explain))
  return result.right
}

/** The `explain` of operations that have only common failures. */
export const noOtherFailure = (failure: never): never => failure

const storeSentence = ({ reason, outcome }: StoreUnavailable): string =>
  outcome === 'unknown'
    ? `The store failed during a write: ${printableOnLine(reason)}. The change may have been made. Check with events list before you try again.`
    : `${unavailableText({ reason })} Nothing was changed. Try again.`

/** The detail of a check that could not read the store. */
export const unavailableText = ({ reason }: Pick<StoreUnavailable, 'reason'>): string =>
  `The store is unavailable: ${printableOnLine(reason)}.` // it may quote a row

const sentence = <F extends { _tag: string }>(
  failure: F | CommonFailure,
  explain: (failure: Exclude<F, CommonFailure>) => string,
): string => {
  switch (failure._tag) {
    case 'StoreUnavailable':
      return storeSentence(failure as StoreUnavailable)
    case 'PasswordCheckUnavailable':
      return `The password cannot be checked: ${printableOnLine((failure as PasswordCheckUnavailable).reason)}. Nothing was changed. Try again.`
    case 'Overloaded':
    case 'Abandoned':
      return 'The machine is overloaded. Nothing was changed. Try again later.'
    default:
      return explain(failure as Exclude<F, CommonFailure>)
  }
}
