import type { Actor } from '../../domain/event.ts'
import type { RefusalReason } from '../../domain/refusal-reasons.ts'
import type { EntryFilter, ModelEntry, ModelRefusal } from '../ports/read-model.ts'
import type { LogEntry } from '../ports/store.ts'
import { isRefusalType } from '../recording/events/table.ts'
import type { RefusalFact } from '../recording/facts.ts'
import { reasonOf } from '../recording/note-refusals.ts'

/** What the read model has of an entry. */
export const modelEntryOf = ({ position, at, type, subject, actor }: LogEntry): ModelEntry => ({
  position,
  at: Date.parse(at),
  type,
  user: idOf('user', subject, actor),
  application: idOf('application', subject, actor),
})

const idOf = (
  kind: 'user' | 'application',
  subject: LogEntry['subject'],
  actor: Actor,
): string | undefined => {
  if (subject.kind === kind) return subject.id
  return actor.kind === kind ? actor.id : undefined
}

/** The refusals that an entry notes: one, or those of a summary by their reasons. */
export const modelRefusalsOf = (entry: LogEntry): ReadonlyArray<ModelRefusal> => {
  const { position, at } = entry
  const refusal = (
    type: ModelRefusal['type'],
    reason: ModelRefusal['reason'],
    count: number,
  ): ModelRefusal => ({ position, at: Date.parse(at), type, reason, count })
  if (entry.type === 'RefusalsSummarized') {
    const { type, reasons } = entry.data
    return reasons.map((one) => refusal(type, one.reason, one.count))
  }
  return isRefusalType(entry.type) ? [refusal(entry.type, reasonIn(entry), 1)] : []
}

/** The reason of a refusal: as its data says, or as it follows from its codes. */
const reasonIn = ({ type, data }: LogEntry): RefusalReason => reasonOf({ _tag: type, ...data } as RefusalFact) // the data has all that a reason follows from

/** Whether an entry meets a filter. The read model finds the same, and this decides what is shown. */
export const matchesFilter =
  ({ since, until, user, application, types, reason }: EntryFilter) =>
  (entry: LogEntry): boolean => {
    const facts = modelEntryOf(entry)
    return (
      (since === undefined || facts.at >= since) &&
      (until === undefined || facts.at < until) &&
      (user === undefined || facts.user === user) &&
      (application === undefined || facts.application === application) &&
      (types === undefined || types.includes(facts.type)) &&
      (reason === undefined || modelRefusalsOf(entry).some((refusal) => refusal.reason === reason))
    )
  }
