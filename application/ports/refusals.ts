import type { Actor } from '../../domain/event.ts'
import type { RefusalFact } from '../recording/facts.ts'
import type { RequestContext } from '../recording/recorder.ts'

/**
 * Notes refusals in the background: `note` returns at once and never fails. Per minute the log takes a limited number of entries
 * of each type and subject. A summary counts the others.
 *
 * The testkit has no contract for this port: `application/recording/note-refusals.ts` implements it on `Store` and `Background`,
 * which have contracts. An adapter only wraps it, to count refusals.
 */
export interface Refusals {
  note(refusal: RefusalFact, actor: Actor, call: RequestContext): void
}
