import type { Fact } from '../../../application/recording/facts.ts'
import type { Event, EventType } from '../../../domain/event.ts'

/** A fact, and the event the log has to show for it. */
export type Case<Type extends EventType> = Readonly<{
  fact: Fact
  event: Extract<Event, { type: Type }>
  /** What has to have happened first. */
  before: ReadonlyArray<Fact>
}>

export type Cases = { [Type in EventType]?: Case<Type> }

/** One of each of these types. */
export type CasesOf<Types extends EventType> = { [Type in Types]: Case<Type> }
