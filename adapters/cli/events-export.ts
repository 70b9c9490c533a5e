import { resolve } from 'node:path'
import type { CommandContext } from './command-context.ts'
import { historySentence, verifiable } from './history.ts'
import { runOrFail, withOperations } from './operations.ts'
import { printRecord } from './print.ts'

/** `portcullis events export` */
export const eventsExport = (
  context: CommandContext,
  folder: string,
  { json }: { json: boolean },
): Promise<void> =>
  withOperations(context, async (operations) => {
    const exporting = verifiable(operations).exportLog(resolve(context.folder, folder))
    const { checkpoint, written } = await runOrFail(exporting, historySentence)
    const { origin, size, root } = checkpoint
    printRecord(context, { json, record: { origin, size, root, tiles_written: written } })
  })
