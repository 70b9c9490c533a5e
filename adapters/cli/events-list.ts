import type { LogEntry } from '../../application/ports/store.ts'
import type { Actor, EventType } from '../../domain/event.ts'
import { orRefuse, withOperations } from './operations.ts'
import type { Terminal } from './terminal.ts'

/** `portcullis events list`: one entry a line, oldest first. */
export const eventsList = (
  terminal: Terminal,
  { after, type, json }: { after: number; type?: EventType; json: boolean },
): Promise<void> =>
  withOperations(terminal, async ({ store }) => {
    const format = json ? asJson : asText
    for (let last = after; ; ) {
      const query = { after: last, limit: PAGE, ...(type === undefined ? {} : { type }) }
      const entries = await orRefuse(store.readEvents(query), unreachable)
      for (const entry of entries) terminal.print(format(entry))
      const end = entries.at(-1)
      if (end === undefined || entries.length < PAGE) return
      last = end.position
    }
  })

/** Entries read at once: the log may be longer than the memory. */
const PAGE = 1_000

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

const unreachable = (failure: never): never => failure
