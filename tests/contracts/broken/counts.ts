import * as O from 'fp-ts/lib/Option.js'
import type { Clock } from '../../../application/ports/environment.ts'
import type { CountKey, CountKind, FailureCounts } from '../../../application/ports/failure-counts.ts'
import type { Failures } from '../../../domain/throttle.ts'
import { ANSWERS } from '../../testkit/failure-counts/updates.ts'
import type { KeptAtMost } from '../../testkit/failure-counts.ts'
import { caughtBy } from './harness.ts'
import { always, closesLate, closesOnce, eager, endingAs, late, NO_ANSWERS, turn } from './mutations.ts'

/** A mutation of counts with this clock and these limits of keys. */
export type MutateCounts = (
  counts: FailureCounts,
  clock: Clock,
  keptAtMost: KeptAtMost,
) => Partial<FailureCounts>

export type Known = O.Option<Failures>
type Decided = Readonly<{ kept: Known; answer: unknown }>
type Update = (counted: CountKey, decide: (known: Known) => Decided) => ReturnType<FailureCounts['update']>

const caught = caughtBy<MutateCounts>

/** Replaces the update, given the correct one. */
export const updating =
  (update: (good: Update, clock: Clock) => Update): MutateCounts =>
  (counts, clock) => ({ update: update(counts.update, clock) as FailureCounts['update'] })

/** Stores something else than was decided. */
export const keeping = (alter: (kept: Known, known: Known, key: string) => Known): MutateCounts =>
  updating(
    (update) => (counted, decide) =>
      update(counted, (known) => {
        const { kept, answer } = decide(known)
        return { kept: alter(kept, known, counted.key), answer }
      }),
  )

/** Lets a caller decide on something else than the stored counts. */
export const knowing = (alter: (known: Known, key: string, now: number) => Known): MutateCounts =>
  updating(
    (update, clock) => (counted, decide) =>
      update(counted, (known) => decide(alter(known, counted.key, clock()))),
  )

/** Confuses one key with another. */
const under = (alter: (key: string) => string): MutateCounts =>
  updating(
    (update) =>
      ({ kind, key }, decide) =>
        update({ kind, key: alter(key) }, decide),
  )

/** Confuses one kind with another. */
export const ofKind = (kind: CountKind): MutateCounts =>
  updating(
    (update) =>
      ({ key }, decide) =>
        update({ kind, key }, decide),
  )

/** Reads the counts a turn before it stores others. */
export const looksEarly: MutateCounts = updating((update) => (counted, decide) => async () => {
  let known: Known = O.none
  await update(counted, (kept) => {
    known = kept
    return { kept, answer: undefined }
  })()
  await turn()
  const decided = decide(known)
  return update(counted, () => decided)()
})

const changed = (fields: (kept: Failures) => Partial<Failures>) =>
  O.map((kept: Failures) => ({ ...kept, ...fields(kept) }))

const orZero = O.getOrElse((): Failures => ({ count: 0, refusedUntil: 0, forgottenFrom: 0 }))

const PAUSE = 'an update sees what the one before it kept: a pause, to the millisecond'
const LARGE = 'an update sees what the one before it kept: large numbers'
const REPLACED = 'a later count replaces the earlier one completely'
const DELETED = 'none deletes the count, and the key can be used again'
const OTHERS = 'deleting under one key leaves the others'
const DELETING = 'a deletion among concurrent updates deletes what the ones before it counted'
const IDLE = 'updates that change nothing do not disturb concurrent ones that do'
const TEN_KEYS = '1,000 concurrent updates of ten keys are counted for each key'

/** Each key that is confused with another one, by its name in the contract. */
const KEYS: Readonly<Record<string, (key: string) => string>> = {
  digests: (key) => key.slice(0, 63),
  case: (key) => key.toLowerCase(),
  space: (key) => key.trim(),
  numbers: (key) => (Number.isNaN(Number(key)) ? key : `${Number(key)}`),
  'U+0000 and what stands behind it': (key) => (/^[^\0]*/.exec(key) ?? [key])[0],
  'composed and decomposed': (key) => key.normalize(),
  'beyond the first plane': (key) => key.replace(/[\u{10000}-\u{10ffff}]/gu, '?'),
  length: (key) => key.slice(0, 9_999),
}

const OF_UPDATES = [
  ...caught('an unknown key has no count', {
    'invents counts for an unknown key': knowing((known) => O.some(orZero(known))),
  }),
  ...caught(['an update sees what the one before it kept: one failure', PAUSE, LARGE], {
    'keeps nothing': keeping(() => O.none),
  }),
  ...caught(REPLACED, {
    'keeps what was first': keeping((kept, known) => (O.isSome(known) && O.isSome(kept) ? known : kept)),
  }),
  ...caught([DELETED, OTHERS, DELETING], {
    'deletes nothing': keeping((kept, known) => (O.isNone(kept) ? known : kept)),
  }),
  ...ANSWERS.flatMap((lost) =>
    caught(`an update returns the answer of decide: ${String(lost)}`, {
      [`loses the answer ${String(lost)}`]: updating(
        (update) => (key, decide) =>
          update(key, (known) => {
            const { kept, answer } = decide(known)
            return { kept, answer: answer === lost ? 'lost' : answer }
          }),
      ),
    }),
  ),
  ...caught(['an update that keeps what it knows changes nothing', IDLE], {
    'counts an update that keeps what it knows': keeping((kept, known) =>
      kept === known ? changed(({ count }) => ({ count: count + 1 }))(kept) : kept,
    ),
  }),
  ...caught('an update that keeps an equal count changes nothing', {
    'adds up counts': keeping((kept, known) =>
      kept === known ? kept : changed(({ count }) => ({ count: count + orZero(known).count }))(kept),
    ),
  }),
  ...caught('an update that is not run does nothing', { 'begins before it is run': eager('update') }),
  ...caught('an update that is run twice counts twice', {
    'runs an update once': updating((update) => (...asked) => {
      let running: Promise<unknown> | undefined
      return () => {
        running ??= update(...asked)()
        return running as ReturnType<ReturnType<Update>>
      }
    }),
  }),
]

const OF_KEYS = [
  ...Object.entries(KEYS).flatMap(([what, alter]) =>
    caught(`keys that differ are kept apart: ${what}`, { [`mixes up keys: ${what}`]: under(alter) }),
  ),
  ...caught('names such as __proto__ are keys like any other', {
    'keeps the counts in a plain object': knowing((known, key) =>
      key in {} ? O.some(({} as Record<string, Failures>)[key] as Failures) : known,
    ),
  }),
  ...caught(
    [
      '1,000 concurrent updates of one key are all counted',
      'each of 1,000 concurrent updates of one key sees the one before it',
      '100 concurrent updates of one key never exceed the limit',
      TEN_KEYS,
      DELETING,
      IDLE,
    ],
    { 'looks a turn before it writes': looksEarly },
  ),
]

const AFTER_CLOSE = 'an update after close is StoreUnavailable and does not call decide'
const NEVER_USED = 'unused counts can be closed'

const OF_CLOSING = [
  ...Object.entries(NO_ANSWERS).flatMap(([how, say]) =>
    caught(how === 'gives no reason' ? AFTER_CLOSE : [AFTER_CLOSE, NEVER_USED], {
      [`${how} after it is closed`]: (counts) => endingAs(counts, always(counts, say)),
    }),
  ),
  ...caught('closing twice, or twice at once, does nothing more', { 'cannot be closed twice': closesOnce }),
  ...caught('updates that start before close are done when it resolves', {
    'drops what waits when it is closed': late('update'),
  }),
  ...caught('what starts after close has begun is not done', {
    'counts until it is closed': closesLate,
  }),
]

export const COUNT_MUTATIONS = [...OF_UPDATES, ...OF_KEYS, ...OF_CLOSING]
