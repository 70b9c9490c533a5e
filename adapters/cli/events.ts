import { resolve } from 'node:path'
import { isRight } from 'fp-ts/lib/Either.js'
import { entryJson } from '../../application/log/entry-json.ts'
import type { PruneFailure } from '../../application/log/prune-log.ts'
import { type BeyondEnd, readLog } from '../../application/log/read-log.ts'
import type { LogEntry, StoreUnavailable } from '../../application/ports/store.ts'
import type { Actor, EventType } from '../../domain/event.ts'
import { type LogCursor, logCursorText, type OtherEpoch } from '../../domain/log-cursor.ts'
import type { CommandContext } from './command-context.ts'
import { CommandFailed, EXIT } from './exit.ts'
import { historySentence, NO_LOG_KEY, verifiable } from './history.ts'
import { noOtherFailure, runOrFail, withOperations, withReads } from './operations.ts'
import { printRecord, printRow } from './print.ts'

/** `portcullis events list`: one entry per line, oldest first. */
export const eventsList = (
  context: CommandContext,
  { after, type, json }: { after: LogCursor; type?: EventType; json: boolean },
): Promise<void> =>
  withReads(context, async ({ store }) => {
    const format = json ? (entry: LogEntry) => JSON.stringify(entryJson(entry)) : asText
    let cursor = ''
    for await (const page of readLog(store, { after, ...(type === undefined ? {} : { type }) })) {
      const { epoch, entries, last } = await runOrFail(async () => page, outdated(after))
      for (const entry of entries) context.writeOut(format(entry))
      cursor = logCursorText({ epoch, position: last })
    }
    await context.flushOut() // a reader that stopped early has not seen all entries before the cursor
    context.writeErr(`Continue with --after ${cursor}`)
  })

const outdated =
  ({ epoch: expected, position }: LogCursor) =>
  (failure: OtherEpoch | BeyondEnd): string => {
    if (failure._tag === 'BeyondEnd')
      return `The log ends before position ${position}, so the store was restored from a copy. Run events renew, then read from the beginning (--after 0).`
    const { epoch, shared } = failure
    const before = expected === undefined ? '' : `, not ${expected}`
    const sharedCursor =
      shared === undefined
        ? ''
        : ` or from the last shared position (--after ${logCursorText({ epoch, position: shared })})`
    return `The log was restored or renewed: its epoch is now ${epoch}${before}. Positions may refer to other events. Read from the beginning (--after 0)${sharedCursor}.`
  }

const asText = ({ position, type, at, subject, actor, request_id, data }: LogEntry): string =>
  [
    position,
    at,
    type,
    `${subject.kind} ${subject.id}`,
    `by ${actorText(actor)}`,
    ...(request_id === undefined ? [] : [`request ${request_id}`]),
    JSON.stringify(data),
  ].join('  ')

const actorText = (actor: Actor): string =>
  'id' in actor && actor.id !== undefined ? `${actor.kind} ${actor.id}` : actor.kind

/** `portcullis events renew` */
export const eventsRenew = (context: CommandContext, { json }: { json: boolean }): Promise<void> =>
  withOperations(
    context,
    async ({ renewLog, storeCopy }, asOperator) => {
      const mark = await storeCopy?.readMark()()
      const opened =
        mark !== undefined && isRight(mark) && mark.right.state === 'moved'
          ? ` This store is open again. Never serve the one at ${mark.right.place} beside it.`
          : ''
      const { epoch, previousEpoch } = await runOrFail(renewLog(asOperator), noOtherFailure)
      printRecord(context, {
        json,
        record: { epoch, previous_epoch: previousEpoch },
        note: `The log is renewed. Cursors that begin with ${previousEpoch} no longer work.${opened}`,
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
