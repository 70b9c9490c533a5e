import { resolve } from 'node:path'
import type { CommandContext } from './command-context.ts'
import { CommandFailed } from './exit.ts'
import { printRecord } from './print.ts'
import { readStoreSettings } from './read-settings.ts'

/** `portcullis backup` */
export const backup = async (
  context: CommandContext,
  file: string,
  { json }: { json: boolean },
): Promise<void> => {
  const settings = readStoreSettings(context)
  if (context.composition.parts?.haveStorage)
    throw new CommandFailed(
      'This command copies the standard stores only. Copy the store of --with with its own tool.',
    )
  const path = resolve(context.folder, file)
  await context.composition.backUpStore(settings, path)
  printRecord(context, {
    json,
    record: { file: path },
    ...(settings.keyFile !== undefined && {
      note: `The key in ${settings.keyFile} is not in this copy, which is of no use without it. Keep a copy of the key elsewhere.`,
    }),
  })
}
