import type { Actor } from '../../domain/event.ts'
import type { RefusalFact } from '../recording/facts.ts'
import type { RequestContext } from '../recording/recorder.ts'

/**
 * Notes what was refused, off the answer's path: it returns at once and never fails. Of one type, and of
 * one subject, no more than a minute's share stands in the log with who, why and the request id; the rest is counted and summarized.
 *
 * The testkit has no contract for this port: `application/recording/note-refusals.ts` implements it on `Store` and `Background`, which have
 * contracts. An adapter only wraps it, to count what passes through.
 */
export interface Refusals {
  note(refusal: RefusalFact, actor: Actor, call: RequestContext): void
}
