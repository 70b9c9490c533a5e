import * as TE from 'fp-ts/lib/TaskEither.js'
import { memoryStore } from '../../../adapters/driven/memory/store.ts'
import type { Change, SessionQuery, Store } from '../../../application/ports/store.ts'
import { change, issuedToken } from '../../testkit/builders.ts'
import { METHODS } from '../../testkit/store/methods.ts'
import { OBJECT_READS, RECORD_READS } from '../../testkit/store/reads.ts'
import type { Mutation } from './harness.ts'
import {
  all,
  always,
  closesLate,
  closesOnce,
  endingAs,
  late,
  type Mutate,
  NO_ANSWERS,
  turn,
  UNAVAILABLE,
} from './mutations.ts'
import { beforeCommit, caught, hear } from './stores.ts'

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
    'resolves close before it has written': (store) => ({
      commit: (change) => async () => {
        await turn()
        await turn()
        return store.commit(change)()
      },
      close: async () => {},
    }),
  }),
  ...caught('what starts after close has begun is not done', {
    'commits until it is closed': closesLate,
  }),
]

/** Stores that report a wrong writability. */
const OF_WRITABILITY: ReadonlyArray<Mutation<Mutate<Store>>> = [
  ...caught('a store that takes changes can be written, before the first one and after', {
    'says that it cannot be written before the first change': writableOnly((isEmpty) => !isEmpty),
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

const finding = (what: string): string => `a look-up with ${what} finds nothing, and does no harm`

/** Alters the argument of each lookup. */
const asked = (alter: (text: string) => string): Mutate<Store> =>
  all(
    hear('findApplication', (id) => [alter(id)]),
    hear('findUserByEmail', (email) => [alter(email)]),
    hear('findUser', (id) => [alter(id)]),
    hear('findOneTimeToken', (digest) => [alter(digest)]),
    hear('findKnownUsers', ({ emailKeys, ids }) => [
      { emailKeys: emailKeys.map(alter), ids: ids.map(alter) },
    ]),
    hear('findSession', (id) => [alter(id)]),
    hear('findTokenHolder', (id, tokenId) => [alter(id), alter(tokenId)]),
    hear('listSessions', (query) => [{ ...query, userId: alter(query.userId) }]),
  )

const LOOK_UPS = [
  'findApplication',
  'findUserByEmail',
  'findUser',
  'findOneTimeToken',
  'findSession',
  'findTokenHolder',
  'listSessions',
] as const

/** Fails when a lookup has certain arguments. */
const failsAt = (isTooMuch: (text: string) => boolean): Mutate<Store> =>
  all(
    ...LOOK_UPS.map(
      (method): Mutate<Store> =>
        (store) => ({
          [method]: (...asked: ReadonlyArray<string | SessionQuery>) =>
            asked.some((one) => isTooMuch(typeof one === 'string' ? one : one.userId))
              ? TE.left(UNAVAILABLE)
              : (store[method] as Ask)(...asked),
        }),
    ),
  )

/** Stores that confuse a text that equals no stored text. */
const OF_LOOK_UPS: ReadonlyArray<Mutation<Mutate<Store>>> = [
  ...caught(finding('U+0000'), {
    'reads no further than U+0000': asked((text) => /^[^\0]*/.exec(text)?.[0] ?? ''),
    'leaves U+0000 out': asked((text) => text.replaceAll('\0', '')),
    'fails when it is asked with U+0000': failsAt((text) => text.includes('\0')),
  }),
  ...caught(finding('a lone surrogate'), {
    'replaces what is not Unicode': asked((text) => text.toWellFormed()),
    'throws at what is not Unicode': asked((text) => decodeURIComponent(encodeURIComponent(text))),
  }),
  ...caught(finding('a megabyte'), {
    'fails when it is asked with a long text': failsAt((text) => text.length > 100_000),
  }),
  ...caught(finding('nothing'), { 'takes an empty text for any': asked((text) => text || 'x@b.example') }),
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

export const LIFE_MUTATIONS = [...OF_LOOK_UPS, ...OF_OBJECTS, ...OF_WRITABILITY, ...OF_CLOSING]
