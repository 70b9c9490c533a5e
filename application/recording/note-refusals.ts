import { isLeft } from 'fp-ts/lib/Either.js'
import type { Actor } from '../../domain/event.ts'
import type { RefusalType } from '../../domain/event-row.ts'
import type { RefusalReason } from '../../domain/refusal-reasons.ts'
import { mergeTallies, type RefusalTally, tallyOf } from '../../domain/refusal-tally.ts'
import type { Background } from '../ports/background.ts'
import type { Clock } from '../ports/environment.ts'

import { type Facts, refusalDefinitionOf } from './events/table.ts'
import type { RefusalFact } from './facts.ts'
import { inBackground, NO_REQUEST, type Recorder, type RequestContext } from './recorder.ts'

/**
 * Notes refusals in the background: `note` returns at once and never fails. Per minute the log takes a limited number of entries
 * of each type and subject. A summary counts the others.
 */
export interface Refusals {
  note(refusal: RefusalFact, actor: Actor, call: RequestContext): void
}

/**
 * Writes refusals into the event log, within limits, so that attackers cannot fill the disk (docs/events.md).
 *
 * The first refusal of a type starts a minute. In that minute the log takes `LOGGED_PER_MINUTE` refusals of the type, and
 * `LOGGED_PER_SUBJECT` of one subject. Refusals without a subject share one limit. At the end of the minute or of the service,
 * one `RefusalsSummarized` counts the others, and those that the store could not write.
 */
export const noteRefusals = ({
  record,
  background,
  clock,
}: Readonly<{ record: Recorder; background: Background; clock: Clock }>): Refusals => {
  const writer: Writer = { record, background, minutes: new Map() }
  return {
    note: (refusal, actor, context) => {
      const type = refusal._tag
      const subjectId = subjectIdOf(refusal)
      const tally = tallyOf({ reason: reasonOf(refusal), subjectId, atMilliseconds: clock() })
      const minute = currentMinute(writer, type)
      const loggedOfSubject = minute.loggedBySubject.get(subjectId) ?? 0
      const isLogged =
        minute.logged < LOGGED_PER_MINUTE &&
        loggedOfSubject < LOGGED_PER_SUBJECT &&
        background.run(async () => {
          if (isLeft(await record([refusal], actor, inBackground(context))()))
            addToSummary(writer, type, tally)
        })
      if (isLogged) {
        minute.logged += 1
        minute.loggedBySubject.set(subjectId, loggedOfSubject + 1)
      } else addToSummary(writer, type, tally)
    },
  }
}

type Writer = Readonly<{ record: Recorder; background: Background; minutes: Map<RefusalType, Minute> }>

type Minute = {
  logged: number
  /** Contains only subjects with logged refusals. */
  readonly loggedBySubject: Map<string | undefined, number>
  tally: RefusalTally | undefined
}

const currentMinute = (writer: Writer, type: RefusalType): Minute => {
  const open = writer.minutes.get(type)
  if (open !== undefined) return open
  const minute = { logged: 0, loggedBySubject: new Map(), tally: undefined }
  writer.minutes.set(type, minute)
  writer.background.after(MINUTE_MS, () => summarize(writer, type))
  return minute
}

const summarize = async (writer: Writer, type: RefusalType): Promise<void> => {
  const tally = writer.minutes.get(type)?.tally
  writer.minutes.delete(type)
  if (tally === undefined) return
  const written = await writer.record([{ _tag: 'RefusalsSummarized', type, ...tally }], NOBODY, NO_REQUEST)()
  if (isLeft(written)) addToSummary(writer, type, tally) // the next minute's summary contains them
}

const addToSummary = (writer: Writer, type: RefusalType, tally: RefusalTally): void => {
  const minute = currentMinute(writer, type)
  minute.tally = minute.tally === undefined ? tally : mergeTallies(minute.tally, tally)
}

const LOGGED_PER_MINUTE = 60

/** Enough to show the start of an attack. An attack on one subject leaves room for refusals of others. */
const LOGGED_PER_SUBJECT = 10

const MINUTE_MS = 60_000

const NOBODY = { kind: 'nobody' } as const

/** Why a request was refused, in one word. */
export const reasonOf = <Type extends RefusalType>(refusal: Facts[Type]): RefusalReason =>
  refusalDefinitionOf<Type>(refusal._tag).reason(refusal)

/** The id of the application or user that the refusal is about; undefined when it is unknown. */
const subjectIdOf = <Type extends RefusalType>(refusal: Facts[Type]): string | undefined =>
  refusalDefinitionOf<Type>(refusal._tag).subjectId(refusal)
