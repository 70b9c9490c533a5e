import * as O from 'fp-ts/lib/Option.js'
import type { Failures } from '../../../domain/throttle.ts'
import { ANSWERS } from '../failure-counts/updates.ts'
import { type BrokenCounts, brokenCounts, keeping, knowing } from './failure-counts.ts'

const changed = (fields: (kept: Failures) => Partial<Failures>) =>
  O.map((kept: Failures) => ({ ...kept, ...fields(kept) }))

/** Counts that keep, or know, something else than they were told. */
export const BROKEN_UPDATES: ReadonlyArray<BrokenCounts> = [
  brokenCounts(
    'make something up for who is not known',
    'what was never kept is none',
    knowing((known) => (O.isNone(known) ? O.some({ count: 0, refusedUntil: 0, forgottenFrom: 0 }) : known)),
  ),
  brokenCounts(
    'keep nothing',
    [
      'what is kept is known to the next: one failure',
      'what is kept is known to the next: a pause, to the millisecond',
      'what is kept is known to the next: large numbers',
    ],
    keeping(() => O.none),
  ),
  brokenCounts(
    'keep whole seconds',
    'what is kept is known to the next: a pause, to the millisecond',
    keeping(changed(({ refusedUntil }) => ({ refusedUntil: Math.floor(refusedUntil / 1000) * 1000 }))),
  ),
  brokenCounts(
    'keep no moment beyond this century',
    'what is kept is known to the next: large numbers',
    keeping(changed(({ forgottenFrom }) => ({ forgottenFrom: Math.min(forgottenFrom, 4_102_444_800_000) }))),
  ),
  brokenCounts(
    'stay with what was first',
    'what is kept later takes the place of all that was kept before',
    keeping((kept, known) => (O.isSome(known) && O.isSome(kept) ? known : kept)),
  ),
  brokenCounts(
    'let no pause become shorter',
    'what is kept later takes the place of all that was kept before',
    keeping((kept, known) =>
      changed((one) => ({ refusedUntil: Math.max(one.refusedUntil, untilOf(known)) }))(kept),
    ),
  ),
  brokenCounts(
    'do not delete',
    [
      'none deletes what was kept, and the key may be used again',
      'deleting under one key leaves the others',
      'one that deletes among those that count takes what is there by then, and nothing else',
    ],
    keeping((kept, known) => (O.isNone(kept) ? known : kept)),
  ),
  brokenCounts('delete for good', 'none deletes what was kept, and the key may be used again', (counts) => {
    const gone = new Set<string>()
    return {
      update: (key, decide) =>
        counts.update(key, (known) => {
          const { kept, answer } = decide(known)
          if (O.isNone(kept)) gone.add(key)
          return { kept: gone.has(key) ? O.none : kept, answer }
        }),
    }
  }),
  ...ANSWERS.map((lost) =>
    brokenCounts(
      `lose the answer ${String(lost)}`,
      `the answer is what was decided: ${String(lost)}`,
      (counts) => ({
        update: <Answer>(key: string, decide: (known: O.Option<Failures>) => Decided<Answer>) =>
          counts.update(key, (known) => {
            const { kept, answer } = decide(known)
            return { kept, answer: answer === lost ? ('lost' as Answer) : answer }
          }),
      }),
    ),
  ),
  brokenCounts(
    'count who only looks',
    [
      'one that keeps what it knows changes nothing',
      'those that change nothing neither take from those that do nor add to them',
    ],
    keeping((kept, known) => (kept === known ? changed(({ count }) => ({ count: count + 1 }))(kept) : kept)),
  ),
  brokenCounts(
    'add up what they are to keep',
    'one that keeps the same once more, in other words, changes nothing',
    keeping((kept, known) =>
      kept === known ? kept : changed(({ count }) => ({ count: count + countOf(known) }))(kept),
    ),
  ),
  brokenCounts('begin before they are run', 'one that is asked for but not run does nothing', (counts) => ({
    update: (key, decide) => {
      const running = counts.update(key, decide)()
      return () => running
    },
  })),
  brokenCounts('run an update once only', 'one that is run twice is done twice', (counts) => ({
    update: (key, decide) => {
      const update = counts.update(key, decide)
      let running: ReturnType<typeof update> | undefined
      return () => {
        running ??= update()
        return running
      }
    },
  })),
]

type Decided<Answer> = Readonly<{ kept: O.Option<Failures>; answer: Answer }>

const untilOf = (known: O.Option<Failures>): number => (O.isSome(known) ? known.value.refusedUntil : 0)

const countOf = (known: O.Option<Failures>): number => (O.isSome(known) ? known.value.count : 0)
