import { type Actor, EVENTS } from '../../domain/event.ts'
import type { LogEntry } from '../ports/store.ts'
import { modelRefusalsOf } from './entry-facts.ts'

/**
 * What happened, in words, as part of a history that names its subject: `signed in through shop`.
 *
 * @param nameOf the name of an application
 */
export const entrySentence = (entry: LogEntry, nameOf: (applicationId: string) => string): string => {
  const { type, data, actor } = entry
  const words: unknown = Object.hasOwn(EVENTS, type) ? EVENTS[type].words : type // a foreign store may have other types
  const text = typeof words === 'function' ? String(words(data)) : String(words)
  const [refusal] = type === 'RefusalsSummarized' ? [] : modelRefusalsOf(entry)
  return `${text}${refusal === undefined ? '' : `: ${refusal.reason}`}${doer(actor, nameOf)}`
}

const doer = (actor: Actor, nameOf: (applicationId: string) => string): string => {
  switch (actor.kind) {
    case 'application':
      return ` through ${nameOf(actor.id)}`
    case 'operator':
      return actor.id === undefined ? ' by an operator' : ` by operator ${actor.id}`
    default:
      return ''
  }
}
