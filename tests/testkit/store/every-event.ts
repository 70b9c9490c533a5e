import type { EventType } from '../../../domain/event.ts'
import { applicationEvents } from './application-events.ts'
import type { Case, CasesOf } from './event-case.ts'
import { factorEvents } from './factor-events.ts'
import { keyEvents } from './key-events.ts'
import { mailEvents } from './mail-events.ts'
import { oneTimeTokenEvents } from './one-time-token-events.ts'
import { refusalEvents } from './refusal-events.ts'
import { serviceEvents } from './service-events.ts'
import { sessionEvents } from './session-events.ts'
import { userEvents } from './user-events.ts'

/**
 * A sample of each type of event. It is the only one: stores, the log, `doctor`, pruning and the pages are tested with it. Keyed by
 * type, so that one that is forgotten does not compile.
 */
export const everyEvent = (): ReadonlyArray<Case<EventType>> => {
  const cases: CasesOf<EventType> = {
    ...applicationEvents(),
    ...userEvents(),
    ...sessionEvents(),
    ...oneTimeTokenEvents(),
    ...factorEvents(),
    ...keyEvents(),
    ...mailEvents(),
    ...refusalEvents(),
    ...serviceEvents(),
  }
  return Object.values(cases)
}
