import { isLeft } from 'fp-ts/lib/Either.js'
import type { RefusalType } from '../../domain/event.ts'
import { mergeTallies, type RefusalTally, tallyOf } from '../../domain/refusal-tally.ts'
import type { Background } from '../ports/background.ts'
import type { Clock } from '../ports/environment.ts'
import type { Refusals } from '../ports/refusals.ts'
import { NO_REQUEST, type Recorder } from './recorder.ts'
import { reasonOf, subjectIdOf } from './refusal-reason.ts'

/**
 * Writes refusals into the event log, so bounded that nobody can fill a disk with them.
 *
 * The first refusal of a type opens a minute in which `NOTED_PER_MINUTE` are written, of one subject `NOTED_PER_SUBJECT`.
 * Refusals without a subject count as those of one. At the end of the minute (or that of the service) the others become one
 * `RefusalsSummarized`, and so do those that the store could not take.
 */
export const noteRefusals = ({
  record,
  background,
  clock,
}: Readonly<{ record: Recorder; background: Background; clock: Clock }>): Refusals => {
  const minutes = new Map<RefusalType, Minute>()

  const minuteOf = (type: RefusalType): Minute => {
    const open = minutes.get(type)
    if (open !== undefined) return open
    const minute = { noted: 0, notedOf: new Map(), tally: undefined }
    minutes.set(type, minute)
    background.after(MINUTE_MS, endOf(type))
    return minute
  }

  const endOf = (type: RefusalType) => async (): Promise<void> => {
    const tally = minutes.get(type)?.tally
    minutes.delete(type)
    if (tally === undefined) return
    const written = await record([{ _tag: 'RefusalsSummarized', type, ...tally }], NOBODY, NO_REQUEST)()
    if (isLeft(written)) count(type, tally) // with the next minute's, then
  }

  const count = (type: RefusalType, more: RefusalTally): void => {
    const minute = minuteOf(type)
    minute.tally = minute.tally === undefined ? more : mergeTallies(minute.tally, more)
  }

  return {
    note: (refusal, actor, call) => {
      const type = refusal._tag
      const subjectId = subjectIdOf(refusal)
      const one = tallyOf({ reason: reasonOf(refusal), subjectId, atMilliseconds: clock() })
      const minute = minuteOf(type)
      const notedOfSubject = minute.notedOf.get(subjectId) ?? 0
      const isNoted =
        minute.noted < NOTED_PER_MINUTE &&
        notedOfSubject < NOTED_PER_SUBJECT &&
        background.run(async () => {
          if (isLeft(await record([refusal], actor, call)())) count(type, one)
        })
      if (isNoted) {
        minute.noted += 1
        minute.notedOf.set(subjectId, notedOfSubject + 1)
      } else count(type, one)
    },
  }
}

type Minute = {
  noted: number
  /** By subject; only subjects of refusals that were noted are in it. */
  readonly notedOf: Map<string | undefined, number>
  tally: RefusalTally | undefined
}

const NOTED_PER_MINUTE = 60

/** Enough to see an attack begin. Whoever names no subject, or only one, leaves most of the minute to other subjects. */
const NOTED_PER_SUBJECT = 10

const MINUTE_MS = 60_000

const NOBODY = { kind: 'nobody' } as const
