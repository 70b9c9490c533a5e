import { entryJson } from '../../application/log/entry-json.ts'
import { type BeyondEnd, type OtherEpoch, readLog } from '../../application/log/read-log.ts'
import type { LogEntry } from '../../application/ports/store.ts'
import type { Actor, EventType } from '../../domain/event.ts'
import { type LogCursor, logCursorText } from '../../domain/log-cursor.ts'
import type { CommandContext } from './command-context.ts'
import { runOrFail, withOperations } from './operations.ts'

/** `portcullis events list`: one entry per line, oldest first. */
export const eventsList = (
  context: CommandContext,
  { after, type, json }: { after: LogCursor; type?: EventType; json: boolean },
): Promise<void> =>
  withOperations(context, async ({ store }) => {
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
