import type { LogEntry } from '../../../application/ports/store.ts'
import { type BeyondEnd, type OtherEpoch, readLog } from '../../../application/read-log.ts'
import type { Actor, EventType } from '../../../domain/event.ts'
import { type LogCursor, logCursorText } from '../../../domain/log-cursor.ts'
import { orRefuse, withOperations } from './operations.ts'
import type { Terminal } from './terminal.ts'

/** `portcullis events list`: one entry a line, oldest first. */
export const eventsList = (
  terminal: Terminal,
  { after, type, json }: { after: LogCursor; type?: EventType; json: boolean },
): Promise<void> =>
  withOperations(terminal, async ({ store }) => {
    const format = json ? asJson : asText
    let cursor = ''
    for await (const page of readLog(store, { after, ...(type === undefined ? {} : { type }) })) {
      const { epoch, entries, last } = await orRefuse(async () => page, outdated(after))
      for (const entry of entries) terminal.print(format(entry))
      cursor = logCursorText({ epoch, position: last })
    }
    await terminal.printed() // a reader that has seen enough has not seen all up to the cursor
    terminal.say(`Continue with --after ${cursor}`)
  })

const outdated =
  ({ epoch: expected, position }: LogCursor) =>
  (failure: OtherEpoch | BeyondEnd): string => {
    if (failure._tag === 'BeyondEnd')
      return `The log ends before position ${position}, so it was restored from a copy. Run events renew, then read again from the beginning (--after 0).`
    const { epoch, shared } = failure
    const before = expected === undefined ? '' : `, not ${expected}`
    const sharedCursor =
      shared === undefined
        ? ''
        : ` or from where both logs part (--after ${logCursorText({ epoch, position: shared })})`
    return `The log was restored or renewed: its epoch is ${epoch} now${before}. Positions may stand for other events. Read again from the beginning (--after 0)${sharedCursor}.`
  }

const asJson = ({ position, id, type, version, at, subject, actor, request_id, data }: LogEntry): string =>
  JSON.stringify({ position, id, type, version, at, subject, actor, request_id, data })

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

const actorText = (actor: Actor): string => ('id' in actor ? `${actor.kind} ${actor.id}` : actor.kind)
