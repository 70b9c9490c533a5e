import type { Settings } from '../config/settings.ts'
import type { CommandContext } from './command-context.ts'
import { CommandFailed, EXIT } from './exit.ts'
import { placeOf, readEnvironment } from './read-settings.ts'

export type NewStoreOptions = Readonly<{ yes: boolean; asks: boolean }>

/**
 * Asks before a command creates a store that only `.env` names: the file may belong to another program, and then the
 * database does, too.
 *
 * @param options.yes answers the question
 * @param options.asks not for a service, which may have a terminal without a person, nor for a command that reads a secret from standard input
 * @throws CommandFailed if the answer is no, or if it cannot ask
 */
export const confirmNewStore = async (
  context: CommandContext,
  settings: Settings,
  { yes, asks }: NewStoreOptions,
): Promise<void> => {
  const { envFile, storeSource } = readEnvironment(context)
  const isByChance = storeSource?.isInFile && !envFile.isNamed
  if (yes || !isByChance || (await context.composition.hasStore(settings))) return
  const { setting } = storeSource
  const store = `${placeOf(context, settings)} (${setting} of ${envFile.path})`
  if (context.ask === undefined || !asks)
    throw new CommandFailed(
      `There is no store in ${store}. To create it, add --yes, or set PORTCULLIS_ENV_FILE=${envFile.name} or ${setting} in the environment. Nothing was changed.`,
      EXIT.wrongSettings,
    )
  const answer = await context.ask(`Create a store in ${store}? [y/N] `)
  if (!/^y(es)?$/i.test(answer.trim())) throw new CommandFailed('No store was created.')
}
