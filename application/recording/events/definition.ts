import type { Actor, EventOf, EventType } from '../../../domain/event.ts'
import type { RefusalType } from '../../../domain/event-row.ts'
import type { RefusalReason } from '../../../domain/refusal-reasons.ts'
import type { SettledMail } from '../../ports/outbox.ts'
import type { ComparedRow, LogEntry, Row } from '../../ports/store.ts'
import type { ExpectedRows } from '../expected-rows.ts'

/**
 * What one type of event writes to the log and to the rows, and what the ledger expects after it.
 *
 * `Details` is what a use case tells. It may hold secrets: a password record, the digest of an API key, a signing key, an
 * e-mail. `rows` may write them. `event` may not: the data of the event has no field for them.
 */
export type EventDefinition<Type extends EventType, Details> = Readonly<{
  /** The version of the fields. */
  version: EventOf<Type>['version']
  /** Returns what the log says. Only the digest of a secret may enter it. */
  event: (details: Details, sha256: (text: string) => string) => Logged<Type>
  /** Returns the rows that the change compares and does not write. Absent if there are none. */
  compared?: (details: Details) => ReadonlyArray<ComparedRow>
  /** Returns the rows in the order in which the store writes them. */
  rows: (details: Details, moment: Moment) => ReadonlyArray<Row>
  /** Returns the mails that the event settles. Absent if it settles none. */
  settled?: (details: Details) => ReadonlyArray<SettledMail>
  /** Applies an entry of the log to the expected rows. Returns what contradicts the entries before it, if anything does. */
  expect: (entry: EntryOf<Type>, expected: ExpectedRows) => string | undefined
}>

/** An event of a refused request: also the reason and the subject by which refusals are counted. */
export type RefusalDefinition<Type extends RefusalType, Details> = EventDefinition<Type, Details> &
  Readonly<{
    reason: (details: Details) => RefusalReason
    /** The id of the application or user; undefined when it is unknown. */
    subjectId: (details: Details) => string | undefined
  }>

/** Who acts, and when. */
export type Moment = Readonly<{ actor: Actor; atMilliseconds: number }>

/** The part of an event that its details decide. */
export type Logged<Type extends EventType> = Readonly<Pick<EventOf<Type>, 'subject' | 'data'>>

/** An entry of the log of one type. */
export type EntryOf<Type extends EventType> = LogEntry & EventOf<Type>

/** Fixes the type of a definition, so that the compiler infers its parameters. */
export const defineEvent = <Type extends EventType, Details>(
  definition: EventDefinition<Type, Details>,
): EventDefinition<Type, Details> => definition

export const defineRefusal = <Type extends RefusalType, Details>(
  definition: Omit<RefusalDefinition<Type, Details>, keyof typeof NO_ROWS>,
): RefusalDefinition<Type, Details> => ({ ...definition, ...NO_ROWS })

/**
 * What the log says of an event. Its arguments are checked against the fields of the event: a field too many does not compile,
 * which it would in a plain `{ subject, data }`.
 */
export const logged = <Type extends EventType>(
  subject: EventOf<Type>['subject'],
  data: EventOf<Type>['data'],
): Logged<Type> => ({ subject, data })

export const theApplication = (id: string) => ({ kind: 'application', id }) as const
export const theUser = (id: string) => ({ kind: 'user', id }) as const
export const theKey = (kid: string) => ({ kind: 'key', id: kid }) as const

/** The part of a definition for an event that changes no row. */
export const NO_ROWS = { rows: () => [], expect: () => undefined } as const
