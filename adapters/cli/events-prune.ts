import { resolve } from 'node:path'
import type { PruneFailure } from '../../application/log/prune-log.ts'
import type { StoreUnavailable } from '../../application/ports/store.ts'
import type { CommandContext } from './command-context.ts'
import { CommandFailed, EXIT } from './exit.ts'
import { historySentence, verifiable } from './history.ts'
import { runOrFail, withOperations } from './operations.ts'
import { printRecord } from './print.ts'

/** `portcullis events prune` */
export const eventsPrune = (
  context: CommandContext,
  { before, exported, json }: { before: number; exported: string; json: boolean },
): Promise<void> =>
  withOperations(context, async (operations, asOperator) => {
    const folder = resolve(context.folder, exported)
    const pruned = verifiable(operations).pruneLog({ folder, beforeSeconds: before }, asOperator)
    const { pruning, deleted } = await runOrFail(pruned, explain)
    printRecord(context, {
      json,
      record: {
        before: pruning?.before ?? new Date(before * 1000).toISOString(),
        through: pruning?.through ?? 0,
        entries_deleted: deleted,
      },
      note:
        pruning === undefined
          ? 'There is nothing to prune before this date.'
          : `Keep ${exported}: only it contains the pruned entries.`,
    })
  })

/** @throws CommandFailed for a wrong option */
const explain = (failure: Exclude<PruneFailure, StoreUnavailable>): string => {
  const sentence = historySentence(failure)
  if (failure._tag === 'TooRecent') throw new CommandFailed(`--before is wrong. ${sentence}`, EXIT.wrongUsage)
  return sentence
}
