import { EVENTS } from '../../domain/event.ts'
import { type FieldType, REFUSAL_TYPES } from '../../domain/event-row.ts'
import { FACTOR_KINDS } from '../../domain/factor.ts'
import { MAIL_KINDS } from '../../domain/mail.ts'
import { CLIENT_KINDS, PKCE_USES } from '../../domain/redirect-uris.ts'
import {
  APPLICATION_TOKEN_REFUSALS,
  IDENTITY_REASONS,
  REFUSAL_REASONS,
  SECOND_FACTOR_REFUSALS,
  SIGN_IN_REFUSALS,
} from '../../domain/refusal-reasons.ts'
import { KEY_PURPOSES } from '../../domain/signing-key.ts'

/**
 * The source of the types of log entries.
 *
 * @param common the type of what all entries have
 */
export const eventTypes = (common: string): string =>
  [
    `/** What the entries of each type are about, and their fields (docs/events.md). */\ntype Events = Readonly<{\n${rows().join('\n')}\n}>`,
    '/** A type of the event log. */\nexport type EventType = keyof Events',
    `/** An entry of the event log. \`type\` says which fields \`data\` has. */
export type LogEntry<Type extends EventType = EventType> = {
  [One in Type]: Readonly<{
    type: One
    /** What the event is about. */
    subject: Readonly<{ kind: Events[One]['subject']; id: string }>
    /** The fields of this type. */
    data: Events[One]['data']
  }> & ${common}
}[Type]`,
  ].join('\n\n')

const rows = (): ReadonlyArray<string> =>
  Object.entries(EVENTS).map(([type, { subjects, fields }]) => {
    const members = Object.entries(fields).map(([name, field]) => `${name}: ${typeOfField(name, field)}`)
    const data = members.length === 0 ? 'Record<never, never>' : `{ ${members.join('; ')} }`
    return `  ${type}: { subject: ${anyOf(subjects)}; data: Readonly<${data}> }`
  })

/** The log keeps texts of any kind in `texts`. */
const typeOfField = (name: string, field: FieldType): string =>
  /^amr\b/.test(name) ? 'ReadonlyArray<Amr>' : TYPES[field]

const anyOf = (words: ReadonlyArray<string>): string => words.map((word) => JSON.stringify(word)).join(' | ')

/** A new type of fields needs one here. */
const TYPES: Readonly<Record<FieldType, string>> = {
  text: 'string',
  time: 'string',
  integer: 'number',
  flag: 'boolean',
  texts: 'ReadonlyArray<string>',
  codes: 'ReadonlyArray<number>',
  lifetime: 'number | null',
  assurance: 'Acr',
  'kind of client': anyOf(CLIENT_KINDS),
  'kind of factor': anyOf(FACTOR_KINDS),
  'kind of mail': anyOf(Object.keys(MAIL_KINDS)),
  'purpose of key': anyOf(KEY_PURPOSES),
  'use of PKCE': anyOf(PKCE_USES),
  'refusal of an application token': anyOf(Object.keys(APPLICATION_TOKEN_REFUSALS)),
  'refusal of a sign-in': anyOf(Object.keys(SIGN_IN_REFUSALS)),
  'refusal of a second factor': anyOf(Object.keys(SECOND_FACTOR_REFUSALS)),
  'refusal of an identity': anyOf(Object.keys(IDENTITY_REASONS)),
  'type of refusal': anyOf(REFUSAL_TYPES),
  'count of reasons': `ReadonlyArray<Readonly<{ reason: ${anyOf(REFUSAL_REASONS)}; count: number }>>`,
  'count of subjects': 'ReadonlyArray<Readonly<{ id: string; count: number }>>',
}
