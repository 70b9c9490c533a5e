import { resolve } from 'node:path'
import type { CommandContext } from './command-context.ts'
import { readSettings, refuseMemoryStore } from './operations.ts'
import { printRecord } from './print.ts'

/** `portcullis backup` */
export const backup = async (
  context: CommandContext,
  file: string,
  { json }: { json: boolean },
): Promise<void> => {
  const settings = readSettings(context)
  refuseMemoryStore(settings)
  const path = resolve(context.folder, file)
  await context.composition.backUpStore(settings, path)
  printRecord(context, { json, record: { file: path } })
}
