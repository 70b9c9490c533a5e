import { resolve } from 'node:path'
import { isRight } from 'fp-ts/lib/Either.js'
import type { PruneFailure } from '../../application/log/prune-log.ts'
import type { ProvedBySome } from '../../application/log/pruned-entries.ts'
import type { StoreUnavailable } from '../../application/ports/store.ts'
import { countOf } from '../../domain/position-runs.ts'
import type { CommandContext } from './command-context.ts'
import { CommandFailed, EXIT } from './exit.ts'
import { historySentence, NO_LOG_KEY, verifiable } from './history.ts'
import { noOtherFailure, runOrFail, withOperations, withReads } from './operations.ts'
import { printRecord, printRow } from './print.ts'
import { printableOnLine } from './printable.ts'

/** `portcullis events renew` */
export const eventsRenew = (context: CommandContext, { json }: { json: boolean }): Promise<void> =>
  withOperations(
    context,
    async ({ renewLog, storeCopy }, asOperator) => {
      const copyState = await storeCopy?.readCopyState()()
      const opened =
        copyState !== undefined && isRight(copyState) && copyState.right.state === 'moved'
          ? ` This store is open again. Never serve the one at ${copyState.right.place} beside it.`
          : ''
      const { epoch, previousEpoch } = await runOrFail(renewLog(asOperator), noOtherFailure)
      printRecord(context, {
        json,
        record: { epoch, previous_epoch: previousEpoch },
        note: printableOnLine(
          `The log is renewed. Cursors that begin with ${previousEpoch} no longer work.${opened}`,
        ),
      })
    },
    'existing',
    'allowed',
  )

/** `portcullis events checkpoint`: prints the signed note and nothing else, so that it can be redirected to a file. */
export const eventsCheckpoint = (context: CommandContext, { json }: { json: boolean }): Promise<void> =>
  withReads(context, async (operations) => {
    const { note, checkpoint } = await runOrFail(verifiable(operations).makeCheckpoint, historySentence)
    if (json) return context.writeOut(JSON.stringify({ ...checkpoint, note }))
    context.writeOut(note.trimEnd())
    await context.flushOut()
    context.writeErr(`Keep this checkpoint of ${checkpoint.size} entries outside of this machine.`)
  })

/** `portcullis events key`: one verifier key per line. */
export const eventsKey = (context: CommandContext, { json }: { json: boolean }): Promise<void> =>
  withReads(context, async (operations) => {
    const keys = await runOrFail(verifiable(operations).verifierKeys, noOtherFailure)
    if (keys.length === 0) throw new CommandFailed(NO_LOG_KEY)
    for (const key of keys) printRow(context, { json, record: { verifier_key: key } })
  })

/** `portcullis events export` */
export const eventsExport = (
  context: CommandContext,
  folder: string,
  { json }: { json: boolean },
): Promise<void> =>
  withReads(context, async (operations) => {
    const exporting = verifiable(operations).exportLog(resolve(context.folder, folder))
    const { checkpoint, written } = await runOrFail(exporting, historySentence)
    const { origin, size, root } = checkpoint
    printRecord(context, { json, record: { origin, size, root, tiles_written: written } })
  })

/** `portcullis events prune` */
export const eventsPrune = (
  context: CommandContext,
  {
    before,
    exported,
    proveAgain = false,
    json,
  }: { before: number; exported: string; proveAgain?: boolean; json: boolean },
): Promise<void> =>
  withOperations(context, async (operations, asOperator) => {
    const folder = resolve(context.folder, exported)
    const onProvedBySome = (proofs: ReadonlyArray<ProvedBySome>): void => {
      for (const line of provedBySomeLines(proofs)) context.writeErr(line)
      context.writeErr(proveAgain ? 'These positions are proved again, with every key.' : NOT_PROVED_AGAIN)
    }
    const asked = { folder, beforeSeconds: before, proveAgain, onProvedBySome }
    const pruned = verifiable(operations).pruneLog(asked, asOperator)
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

const NOT_PROVED_AGAIN =
  'Compare them with events list --type LogPruned. If all are your prunings, run events prune with --prove-again before you remove a key.'

/** The id of each key is the one in the lines of `events key`. A proof may name thousands of runs. */
const provedBySomeLines = (proofs: ReadonlyArray<ProvedBySome>): ReadonlyArray<string> =>
  proofs.map(({ keys, positions }) => {
    const ids = keys.map((key) => key.split('+')[1]).join(' and ')
    const shown = positions.slice(0, MOST_RUNS).map(([first, last]) => {
      return first === last ? `${first}` : `${first} to ${last}`
    })
    const rest = countOf(positions.slice(MOST_RUNS))
    const further = rest === 0 ? '' : `, and ${rest} more up to ${positions.at(-1)?.[1]}`
    return `Not every key proves that these positions were pruned, only key ${ids}: ${shown.join(', ')}${further}.`
  })

const MOST_RUNS = 100

/** @throws CommandFailed for a wrong option */
const explain = (failure: Exclude<PruneFailure, StoreUnavailable>): string => {
  const sentence = historySentence(failure)
  if (failure._tag === 'TooRecent') throw new CommandFailed(`--before is wrong. ${sentence}`, EXIT.wrongUsage)
  return sentence
}
