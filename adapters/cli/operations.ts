import { isLeft } from 'fp-ts/lib/Either.js'
import type { TaskEither } from 'fp-ts/lib/TaskEither.js'
import type { PasswordCheckUnavailable } from '../../application/ports/failures.ts'
import type { HashingRefused } from '../../application/ports/password-hasher.ts'
import type { StoreOpening } from '../../application/ports/storage.ts'
import type { StoreUnavailable } from '../../application/ports/store.ts'
import type { RequestContext } from '../../application/recording/recorder.ts'
import { isName } from '../../domain/name.ts'
import type { Settings } from '../config/settings.ts'
import { closedSentence, closedState } from './closed-store.ts'
import type { CommandContext } from './command-context.ts'
import type { Operations } from './composition.ts'
import { CommandFailed } from './exit.ts'
import { confirmNewStore, type NewStoreOptions } from './new-store.ts'
import { printableOnLine } from './printable.ts'
import { readStoreSettings, storeName } from './read-settings.ts'

/**
 * Opens the store, runs a command and closes the store again. It refuses a store that a copy has closed.
 *
 * @param command passes `asOperator` to every operation that writes, so that the event log names the operator
 * @param opening never `migrate`, which may create a store: in the wrong folder, a command would report success on an empty one
 * @param ifMoved `allowed` for commands that only read, and for the one that opens such a store again
 */
export const withOperations = (
  context: CommandContext,
  command: OnStore,
  opening: Exclude<StoreOpening, 'migrate'> = 'existing',
  ifMoved: IfMoved = 'refused',
): Promise<void> => runOnStore(context, readStoreSettings(context), command, opening, ifMoved)

type OnStore = (operations: Operations, asOperator: RequestContext) => Promise<void>
type IfMoved = 'refused' | 'allowed'

/** The same for commands that may create the store. */
export const withNewStore = async (
  context: CommandContext,
  options: NewStoreOptions,
  command: OnStore,
): Promise<void> => {
  const settings = readStoreSettings(context)
  await confirmNewStore(context, settings, options)
  await runOnStore(context, settings, command, 'migrate', 'refused')
}

/** The same for commands that only read: they also read a store that has moved. */
export const withReads = (context: CommandContext, command: OnStore): Promise<void> =>
  withOperations(context, command, 'existing', 'allowed')

const runOnStore = async (
  context: CommandContext,
  settings: Settings,
  command: OnStore,
  opening: StoreOpening,
  ifMoved: IfMoved,
): Promise<void> => {
  const operations = await context.composition.composeOperations(settings, opening)
  try {
    await refuseClosed(operations, storeName(context.composition, settings), ifMoved)
    await command(operations, operatorContext(settings, context))
  } finally {
    await operations.close()
  }
}

/** @throws CommandFailed if a copy has closed the store */
export const refuseClosed = async (
  operations: Pick<Operations, 'storeCopy'>,
  name: string,
  ifMoved: IfMoved,
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
