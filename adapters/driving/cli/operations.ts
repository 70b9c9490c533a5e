import { isLeft } from 'fp-ts/lib/Either.js'
import type { TaskEither } from 'fp-ts/lib/TaskEither.js'
import type { PasswordCheckUnavailable } from '../../../application/ports/failures.ts'
import type { HashingRefused } from '../../../application/ports/password-hasher.ts'
import type { StoreUnavailable } from '../../../application/ports/store.ts'
import { environmentOf, type Settings, settingsFrom, unknownNamesIn } from '../../config/settings.ts'
import type { Operations, StoreOpening } from './composition.ts'
import { CommandFailed, EXIT } from './exit.ts'
import type { Terminal } from './terminal.ts'

/**
 * Reads the settings, and warns of names in `.env` that are none.
 *
 * @throws CommandFailed with one line for every setting that is wrong
 */
export const readSettings = (terminal: Terminal): Settings => {
  const { environment, unknown } = readEnvironment(terminal)
  const settings = settingsFrom(environment)
  const wrong = isLeft(settings) ? settings.left : terminal.composition.wrongFiles(settings.right)
  if (isLeft(settings) || wrong.length > 0) {
    throw new CommandFailed(['These settings are wrong:', ...wrong].join('\n  '), EXIT.wrongSettings)
  }
  if (unknown.length > 0)
    terminal.say(`Warning: .env has names that are not settings. They are ignored: ${listed(unknown)}.`)
  return settings.right
}

/** A secret that was broken into lines may look like a name, so only what is written as names are is shown. */
const listed = (names: ReadonlyArray<string>): string => {
  const shown = names.filter((name) => /^[A-Z][A-Z0-9_]{0,63}$/.test(name)).slice(0, SHOWN_NAMES)
  const others = names.length - shown.length
  return [...shown, ...(others === 0 ? [] : [`${others} ${shown.length === 0 ? 'not shown' : 'more'}`])].join(
    ', ',
  )
}

const SHOWN_NAMES = 10

const readEnvironment = ({ environment, folder }: Terminal) => {
  try {
    return { environment: environmentOf(environment, folder), unknown: unknownNamesIn(folder) }
  } catch {
    throw new CommandFailed(
      `The file .env in ${folder} cannot be read. Mend it, or take it away.`,
      EXIT.wrongSettings,
    )
  }
}

/** @throws CommandFailed when a command could not see what the server has */
export const withoutMemory = ({ database }: Settings): void => {
  if (database.kind === 'memory') {
    throw new CommandFailed(
      'DATABASE_URL is memory:, which no other process can see. Name a file: sqlite:PATH.',
    )
  }
}

/**
 * Opens the store for one command and closes it again, whatever becomes of the command.
 *
 * @param opening `migrate` only for commands that may create the store. In the wrong folder, any other command would create an empty
 *   store and report success
 */
export const withOperations = async (
  terminal: Terminal,
  command: (operations: Operations) => Promise<void>,
  opening: Extract<StoreOpening, 'existing' | 'migrate'> = 'existing',
): Promise<void> => {
  const settings = readSettings(terminal)
  withoutMemory(settings)
  const operations = await terminal.composition.composeOperations(settings, opening)
  try {
    await command(operations)
  } finally {
    await operations.close()
  }
}

/** What may go wrong with any operation, whatever its input. */
type Mishap = HashingRefused | PasswordCheckUnavailable | StoreUnavailable

/**
 * The result of an operation.
 *
 * @param explain says what is wrong with the input
 * @throws CommandFailed
 */
export const orRefuse = async <F extends { _tag: string }, A>(
  operation: TaskEither<F | Mishap, A>,
  explain: (failure: Exclude<F, Mishap>) => string,
): Promise<A> => {
  const result = await operation()
  if (isLeft(result)) throw new CommandFailed(sentence(result.left, explain))
  return result.right
}

/** For operations that can fail in no way of their own. */
export const unreachable = (failure: never): never => failure

const storeSentence = ({ reason, outcome }: StoreUnavailable): string =>
  outcome === 'unknown'
    ? `The store failed as it was written: ${reason}. Look whether the change was made (events list), then try again.`
    : `The store is not available: ${reason}. Nothing was changed; try again.`

/** What is said of a look that the store did not allow. */
export const awayBecause = ({ reason }: StoreUnavailable): string => `the store is not available: ${reason}.`

const sentence = <F extends { _tag: string }>(
  failure: F | Mishap,
  explain: (failure: Exclude<F, Mishap>) => string,
): string => {
  switch (failure._tag) {
    case 'StoreUnavailable':
      return storeSentence(failure as StoreUnavailable)
    case 'PasswordCheckUnavailable':
      return `The password cannot be judged: ${(failure as PasswordCheckUnavailable).reason}. Nothing was changed; try again.`
    case 'Overloaded':
    case 'Abandoned':
      return 'The machine has too much to do just now. Nothing was changed; try again.'
    default:
      return explain(failure as Exclude<F, Mishap>)
  }
}
