import { eventPages } from '../../application/pages.ts'
import type { LogEntry } from '../../application/ports/store.ts'
import type { Actor, EventType } from '../../domain/event.ts'
import { orRefuse, unreachable, withOperations } from './operations.ts'
import type { Terminal } from './terminal.ts'

/** `portcullis events list`: one entry a line, oldest first. */
export const eventsList = (
  terminal: Terminal,
  { json, ...query }: { after: number; type?: EventType; json: boolean },
): Promise<void> =>
  withOperations(terminal, async ({ store }) => {
    const format = json ? asJson : asText
    for await (const page of eventPages(store, query)) {
      for (const entry of await orRefuse(async () => page, unreachable)) terminal.print(format(entry))
    }
  })

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
