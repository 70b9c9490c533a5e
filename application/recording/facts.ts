import { map, type NonEmptyArray } from 'fp-ts/lib/NonEmptyArray.js'
import type { Option } from 'fp-ts/lib/Option.js'
import type { EventType } from '../../domain/event.ts'
import type { RefusalType } from '../../domain/event-row.ts'
import type { Mail } from '../../domain/mail.ts'
import { rfc3339OfMilliseconds } from '../../domain/rfc3339.ts'
import type { SettledMail } from '../ports/outbox.ts'
import type { Change, ComparedRow, NewEntry, Row } from '../ports/store.ts'
import type { Moment } from './events/definition.ts'
import { definitionOf, type Facts } from './events/table.ts'
import { type Notices, noticesOf, withdrawnBy } from './notices.ts'

export type { NewFactor } from './events/factor-events.ts'
export type { NewSession } from './events/session-events.ts'
export type { NewUser } from './events/user-events.ts'
export type { Unwritten } from './row-versions.ts'

/**
 * What happened, as a use case tells it: the type of the event, and its details. Records are as they were read, or new. The folder
 * `events/` says per type which details there are and what follows from them.
 */
export type Fact = Facts[EventType]

/** A refused request. It changes no row. */
export type RefusalFact = Facts[RefusalType]

/** What an entry says of every event, of any type. */
export type Circumstances = Moment &
  Readonly<{
    requestId: string | undefined
    /** Returns a new id for each event. */
    uuid: () => string
    sha256: (text: string) => string
    /** Absent without mail: then a change has no new mails. */
    mail?: MailCircumstances | undefined
  }>

/** `language` is that of the request. `mails` are those of the change besides the notices that follow from its facts. */
export type MailCircumstances = Readonly<{
  notices: Notices
  language: Option<string>
  mails: ReadonlyArray<Mail>
}>

/** The change that writes all these facts or none. No other code makes a `Change`. */
export const toChange = (facts: NonEmptyArray<Fact>, circumstances: Circumstances): Change => {
  const written = map((fact: Fact) => writtenOf(fact, circumstances))(facts)
  const events = map(({ entry }: Written) => entry)(written)
  return {
    id: events[0].id,
    events,
    compared: written.flatMap(({ compared }) => compared),
    rows: written.flatMap(({ rows }) => rows),
    ...unlessEmpty(
      'settled',
      written.flatMap(({ settled }) => settled),
    ),
    ...unlessEmpty('mails', mailsOf(facts, circumstances)),
    // Also without mail: an instance with it may have written them.
    ...unlessEmpty('withdrawn', withdrawnBy(facts)),
  }
}

const mailsOf = (
  facts: NonEmptyArray<Fact>,
  { mail, atMilliseconds, uuid }: Circumstances,
): ReadonlyArray<Mail> => {
  if (mail === undefined) return []
  const { notices, language, mails } = mail
  return [...mails, ...noticesOf(facts, { notices, atMilliseconds, language, uuid })]
}

/** A store does nothing for a field that is absent. */
const unlessEmpty = <Name extends string, Item>(
  name: Name,
  items: ReadonlyArray<Item>,
): { [One in Name]?: ReadonlyArray<Item> } =>
  items.length === 0 ? {} : ({ [name]: items } as { [One in Name]: ReadonlyArray<Item> })

type Written = Readonly<{
  entry: NewEntry
  compared: ReadonlyArray<ComparedRow>
  rows: ReadonlyArray<Row>
  settled: ReadonlyArray<SettledMail>
}>

const writtenOf = <Type extends EventType>(fact: Facts[Type], circumstances: Circumstances): Written => {
  const { actor, requestId, atMilliseconds, uuid, sha256 } = circumstances
  const { version, event, compared, rows, settled } = definitionOf<Type>(fact._tag)
  const entry = {
    type: fact._tag,
    version,
    ...event(fact, sha256),
    id: uuid(),
    at: rfc3339OfMilliseconds(atMilliseconds),
    actor,
    ...(requestId === undefined ? {} : { request_id: requestId }),
  } as NewEntry // the compiler cannot pair the type with its data; `about` did
  return {
    entry,
    compared: compared?.(fact) ?? [],
    rows: rows(fact, { actor, atMilliseconds }),
    settled: settled?.(fact) ?? [],
  }
}
