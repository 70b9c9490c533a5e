import * as TE from 'fp-ts/lib/TaskEither.js'
import { memoryStore } from '../../../adapters/stores/memory/store.ts'
import type { Change, Store } from '../../../application/ports/store.ts'
import { change, issuedToken } from '../../testkit/builders.ts'
import { METHODS } from '../../testkit/store/methods.ts'
import { OBJECT_READS, RECORD_READS, someOfEverything } from '../../testkit/store/reads.ts'
import type { Mutation } from './harness.ts'
import {
  always,
  closesLate,
  closesOnce,
  endingAs,
  late,
  type Mutate,
  NO_ANSWERS,
  UNAVAILABLE,
} from './mutations.ts'
import { beforeCommit, caught } from './stores.ts'

const DRAINED = 'commits that start before close are done when it resolves'

/** Stores that close incorrectly. */
const OF_CLOSING: ReadonlyArray<Mutation<Mutate<Store>>> = [
  ...METHODS.flatMap(([method]) =>
    caught(`${method} answers StoreUnavailable once the store is closed`, {
      [`answers ${method} after it is closed`]: (store) => ({
        ...endingAs(store, memoryStore()),
        [method]: store[method],
      }),
    }),
  ),
  ...Object.entries(NO_ANSWERS).flatMap(([how, say]) =>
    caught(/answers StoreUnavailable once the store is closed$/, {
      [`${how} after it is closed`]: (store) => endingAs(store, always(store, say)),
    }),
  ),
  ...caught('closing twice, or twice at once, does nothing more', { 'cannot be closed twice': closesOnce }),
  ...caught(DRAINED, {
    'drops what waits when it is closed': late('commit'),
  }),
  ...caught('what starts after close has begun is not done', {
    'commits until it is closed': closesLate,
  }),
]

/** Stores that report a wrong writability. */
const OF_WRITABILITY: ReadonlyArray<Mutation<Mutate<Store>>> = [
  ...caught('a store that takes changes can be written, before the first one and after', {
    'says that it cannot be written after the first change': writableOnly((isEmpty) => isEmpty),
  }),
  ...caught('to ask whether a store can be written leaves no trace in the log', {
    'writes an event to see whether it can be written': (store) => ({
      checkWritable: () => async () => {
        await store.commit(change(issuedToken()))()
        return store.checkWritable()()
      },
    }),
  }),
]

function writableOnly(when: (isEmpty: boolean) => boolean): Mutate<Store> {
  return (store) => {
    let isEmpty = true
    return {
      ...beforeCommit(store, () => {
        isEmpty = false
      }),
      checkWritable: () => async () => (when(isEmpty) ? store.checkWritable()() : TE.left(UNAVAILABLE)()),
    }
  }
}

/** The same value with each of its texts altered. */
const withTexts = (value: unknown, alter: (text: string) => string): unknown => {
  if (typeof value === 'string') return alter(value)
  if (Array.isArray(value)) return value.map((one) => withTexts(one, alter))
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(Object.entries(value).map(([name, part]) => [name, withTexts(part, alter)]))
}

/** What a look-up makes of the texts that it is asked with. */
const TEXTS: ReadonlyArray<readonly [what: string, broken: string, alter: (text: string) => string]> = [
  ['an unknown text', 'takes an unknown text for a known one', (text) => text.replace('nobody', 'x')],
  ['U+0000', 'reads no further than U+0000', (text) => /^[^\0]*/.exec(text)?.[0] ?? ''],
  ['U+0000', 'leaves U+0000 out', (text) => text.replaceAll('\0', '')],
  ['U+0000', 'throws at U+0000', (text) => throwing(text.includes('\0'), text)],
  ['a lone surrogate', 'replaces what is not Unicode', (text) => text.toWellFormed()],
  [
    'a lone surrogate',
    'throws at what is not Unicode',
    (text) => decodeURIComponent(encodeURIComponent(text)),
  ],
  ['a megabyte', 'throws at a long text', (text) => throwing(text.length > 100_000, text)],
  ['nothing', 'takes an empty text for any', (text) => text || 'x@b.example'],
]

const throwing = (isTooMuch: boolean, text: string): string => {
  if (isTooMuch) throw new Error('too much')
  return text
}

const LOOK_UPS = METHODS.map(([method]) => method).filter((method) =>
  /^find|^list(?:Sessions|Factors)$/.test(method),
)

/** Stores in which one look-up misbehaves. */
export const LOOK_UP_MUTATIONS: ReadonlyArray<Mutation<Mutate<Store>>> = [
  ...LOOK_UPS.flatMap((method) =>
    TEXTS.flatMap(([what, broken, alter]) =>
      caught(`${method} with ${what} finds nothing, and does no harm`, {
        [`${broken} in ${method}`]: (store) => ({
          [method]: (...asked: ReadonlyArray<unknown>) =>
            (store[method] as Ask)(...asked.map((one) => withTexts(one, alter))),
        }),
      }),
    ),
  ),
  ...OBJECT_READS.flatMap(([method]) =>
    caught(new RegExp(`^${method} (finds|with) `), {
      [`finds the rows of another store with ${method}`]: () => {
        const another = memoryStore()
        const filled = another.commit(someOfEverything())()
        return {
          [method]:
            (...asked: ReadonlyArray<unknown>) =>
            async () => {
              await filled
              return (another[method] as Ask)(...asked)()
            },
        }
      },
    }),
  ),
]

type Read = (typeof OBJECT_READS)[number][0]
type Ask = (...asked: ReadonlyArray<unknown>) => TE.TaskEither<unknown, unknown>

/** Replaces a method by its `answer`, which is given the correct method. */
const reading = (method: Read, answer: (ask: Ask) => Ask, store: Store): Partial<Store> => ({
  [method]: answer(store[method] as Ask),
})

/** Stores that share objects with their callers. */
const OF_OBJECTS: ReadonlyArray<Mutation<Mutate<Store>>> = [
  ...RECORD_READS.flatMap(([method]) =>
    caught(`${method} does not show what was altered in a change after its commit`, {
      [`answers ${method} with the objects it was given`]: (store) => {
        const given = new Map<unknown, object>()
        const keep = ({ events, rows }: Change): void => {
          for (const one of [...events, ...rows.map(({ row }) => row)]) given.set(one.id, one)
        }
        const sharing =
          (ask: Ask): Ask =>
          (...asked) =>
            TE.map((value) => withGiven(value, given))(ask(...asked))
        return { ...beforeCommit(store, keep), ...reading(method, sharing, store) }
      },
    }),
  ),
  ...OBJECT_READS.flatMap(([method]) =>
    caught(`${method} does not show what was altered in an earlier answer`, {
      [`answers ${method} with the objects of its first answer`]: (store) => {
        let answer: ReturnType<ReturnType<Ask>> | undefined
        const again =
          (ask: Ask): Ask =>
          (...asked) =>
          async () => {
            answer ??= ask(...asked)()
            return answer
          }
        return reading(method, again, store)
      },
    }),
  ),
]

/** The same value with each record replaced by the one given under its id. */
function withGiven(value: unknown, given: ReadonlyMap<unknown, object>): unknown {
  if (typeof value !== 'object' || value === null) return value
  if (Array.isArray(value)) return value.map((part) => withGiven(part, given))
  const one = 'id' in value ? given.get(value.id) : undefined
  if (one !== undefined) return 'position' in value ? { ...one, position: value.position } : one
  return Object.fromEntries(Object.entries(value).map(([name, part]) => [name, withGiven(part, given)]))
}

export const LIFE_MUTATIONS = [...LOOK_UP_MUTATIONS, ...OF_OBJECTS, ...OF_WRITABILITY, ...OF_CLOSING]
