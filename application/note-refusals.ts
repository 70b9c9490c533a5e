import { isLeft } from 'fp-ts/lib/Either.js'
import type { RefusalType } from '../domain/event.ts'
import type { Background } from './ports/background.ts'
import type { Clock } from './ports/environment.ts'
import type { Refusals } from './ports/refusals.ts'
import { NO_REQUEST, type Recorder } from './recorder.ts'

/**
 * Writes refusals into the event log, so bounded that nobody can fill a disk with them.
 *
 * The first refusal of a type opens a minute in which `NOTED_PER_MINUTE` are written. At its end (or that of the service)
 * the others become one `RefusalsSummarized`, and so do those that the store could not take.
 */
export const noteRefusals = (record: Recorder, background: Background, clock: Clock): Refusals => {
  const minutes = new Map<RefusalType, Minute>()

  const minuteOf = (type: RefusalType): Minute => {
    const open = minutes.get(type)
    if (open !== undefined) return open
    const minute = { noted: 0, counted: undefined }
    minutes.set(type, minute)
    background.after(MINUTE_MS, endOf(type))
    return minute
  }

  const endOf = (type: RefusalType) => async (): Promise<void> => {
    const counted = minutes.get(type)?.counted
    minutes.delete(type)
    if (counted === undefined) return
    const written = await record([{ _tag: 'RefusalsSummarized', type, ...counted }], NOBODY, NO_REQUEST)()
    if (isLeft(written)) count(type, counted) // with the next minute's, then
  }

  const count = (type: RefusalType, more: Counted): void => {
    const minute = minuteOf(type)
    const { counted = more } = minute
    minute.counted = {
      count: counted === more ? more.count : counted.count + more.count,
      fromMilliseconds: Math.min(counted.fromMilliseconds, more.fromMilliseconds),
      toMilliseconds: Math.max(counted.toMilliseconds, more.toMilliseconds),
    }
  }

  return {
    note: (refusal, actor, call) => {
      const type = refusal._tag
      const now = clock()
      const one = { count: 1, fromMilliseconds: now, toMilliseconds: now }
      const minute = minuteOf(type)
      const isNoted =
        minute.noted < NOTED_PER_MINUTE &&
        background.run(async () => {
          if (isLeft(await record([refusal], actor, call)())) count(type, one)
        })
      if (isNoted) minute.noted += 1
      else count(type, one)
    },
  }
}

type Minute = { noted: number; counted: Counted | undefined }
type Counted = Readonly<{ count: number; fromMilliseconds: number; toMilliseconds: number }>

const NOTED_PER_MINUTE = 60
const MINUTE_MS = 60_000

const NOBODY = { kind: 'nobody' } as const
