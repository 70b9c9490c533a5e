import { isLeft, right } from 'fp-ts/lib/Either.js'
import { isNone, isSome, none, type Option, some } from 'fp-ts/lib/Option.js'
import {
  PROTOCOL_KINDS,
  PROTOCOL_STATE_METHODS,
  type ProtocolEntry,
  type ProtocolKind,
  type ProtocolState,
} from '../../../application/ports/protocol-state.ts'
import { IDS } from '../../testkit/protocol-state/entries.ts'
import { NOW } from '../../testkit/protocol-state/steps.ts'
import { caughtBy } from './harness.ts'
import {
  always,
  closesLate,
  closesOnce,
  eager,
  endingAs,
  late,
  type Mutate,
  mixedUp,
  mutationsOf,
  NO_ANSWERS,
  turn,
} from './mutations.ts'

const { answer } = mutationsOf<ProtocolState>()
const caught = caughtBy<Mutate<ProtocolState>>

export const look = async (
  state: ProtocolState,
  kind: ProtocolKind,
  id: string,
): Promise<ProtocolEntry | undefined> => {
  const found = await state.find(kind, id)()
  return isLeft(found) || isNone(found.right) ? undefined : found.right.value
}

const finding = (alter: (entry: ProtocolEntry) => Partial<ProtocolEntry>): Mutate<ProtocolState> =>
  answer('find', (found) => (isSome(found) ? some({ ...found.value, ...alter(found.value) }) : found))

/** Confuses one id with another. */
const under =
  (alter: (id: string) => string): Mutate<ProtocolState> =>
  (good) => ({
    put: (entry) => good.put({ ...entry, id: alter(entry.id) }),
    ...answer('find', (found, _, id) => (isSome(found) ? some({ ...found.value, id }) : found))({
      ...good,
      find: (kind, id) => good.find(kind, alter(id)),
    }),
  })

/** Deletes an entry that is put again, and so forgets what it was. */
const replaces: Mutate<ProtocolState> = (good) => ({
  put: (entry) => async () => {
    await good.remove(entry.kind, entry.id)()
    return good.put(entry)()
  },
})

/** Puts an entry as it was a turn before. */
const putsLate: Mutate<ProtocolState> = (good) => ({
  put: (entry) => async () => {
    const before: Option<number> = (await look(good, entry.kind, entry.id))?.consumedAtSeconds ?? none
    await turn()
    await good.remove(entry.kind, entry.id)()
    const outcome = await good.put(entry)()
    if (isSome(before)) await good.consume(entry.kind, entry.id, before.value)()
    return outcome
  },
})

/** Reads, and writes a turn later. */
export const consumesLate: Mutate<ProtocolState> = (good) => ({
  consume: (kind, id, atSeconds) => async () => {
    const entry = await look(good, kind, id)
    await turn()
    await good.consume(kind, id, atSeconds)()
    return right(entry !== undefined && isNone(entry.consumedAtSeconds))
  },
})

const UNKNOWN = /^an unknown entry is none/
const ONCE = /^an entry is consumed once/
const AS_PUT = 'an entry is found as it was put: '
const AT_ONCE = 'of 20 calls at once, exactly one consumes the entry'

/** Each id that is confused with another one, by its name in the contract. */
const CONFUSED: Readonly<Record<string, (id: string) => string>> = {
  digests: (id) => id.slice(0, 63),
  case: (id) => id.toLowerCase(),
  numbers: (id) => (Number.isNaN(Number(id)) ? id : `${Number(id)}`),
  'names of objects': (id) => (id in {} ? 'known' : id),
}

const OF_ENTRIES = [
  ...caught(UNKNOWN, {
    'looks up an id in all kinds': (good) => ({
      find: (_, id) => async () => {
        for (const kind of PROTOCOL_KINDS) {
          const found = await look(good, kind, id)
          if (found !== undefined) return right(some(found))
        }
        return right(none)
      },
    }),
  }),
  ...caught(
    ['grant', 'code', 'refresh_token'].map((kind) => `${AS_PUT}${kind}`),
    {
      'forgets the session': finding(() => ({ sessionId: none })),
    },
  ),
  ...caught(`${AS_PUT}pushed_request`, {
    'gives every entry a session': finding(({ sessionId, id }) => ({
      sessionId: isSome(sessionId) ? sessionId : some(id),
    })),
  }),
  ...caught(`${AS_PUT}a long content`, {
    'cuts contents': finding(({ content }) => ({ content: content.slice(0, 65_535) })),
  }),
  ...caught(`${AS_PUT}an empty content`, {
    'takes an empty content for none': answer('find', (found) =>
      isSome(found) && found.value.content === '' ? none : found,
    ),
  }),
  ...caught(`${AS_PUT}a late expiry`, {
    'cuts times to 32 bits': finding(({ expiresAtSeconds }) => ({ expiresAtSeconds: expiresAtSeconds | 0 })),
  }),
  ...caught('entries of several kinds with one id are kept apart', {
    'ignores the kind': (good) => ({
      put: (entry) => good.put({ ...entry, kind: 'grant' }),
      find: (_, id) => good.find('grant', id),
    }),
  }),
  ...IDS.flatMap(([what]) =>
    caught(`ids that differ are kept apart: ${what}`, {
      [`mixes up ids: ${what}`]: under(CONFUSED[what] ?? ((id) => id)),
    }),
  ),
  ...caught('a second put replaces the content and the expiry', {
    'keeps what was first': (good) => ({
      put: (entry) => async () =>
        (await look(good, entry.kind, entry.id)) === undefined ? good.put(entry)() : right(undefined),
    }),
  }),
  ...caught(['a second put keeps the session', 'a second put leaves a consumed entry consumed'], {
    'replaces the whole entry': replaces,
  }),
  ...caught('an expired entry is found until it is deleted', {
    'deletes expired entries with each put': (good) => ({
      put: (entry) => async () => {
        const outcome = await good.put(entry)()
        await good.deleteExpired(NOW, 9)()
        return outcome
      },
    }),
  }),
  ...caught('a put that is not run does nothing', { 'puts before it is run': eager('put') }),
  ...caught('100 entries that are put at once are all found', { 'mixes up puts': mixedUp('put') }),
]

const OF_CONSUMING = [
  ...caught([ONCE, 'consuming an absent entry is false and adds none', AT_ONCE], {
    'always answers that it consumed': answer('consume', () => true),
  }),
  ...caught([ONCE, 'a second put leaves a consumed entry consumed'], {
    'forgets when': finding(({ consumedAtSeconds }) => ({
      consumedAtSeconds: isSome(consumedAtSeconds) ? some(NOW) : none,
    })),
  }),
  ...caught('an expired entry can be consumed', {
    'judges the expiry': (good) => ({
      consume: (kind, id, atSeconds) => async () => {
        const entry = await look(good, kind, id)
        return entry !== undefined && entry.expiresAtSeconds < atSeconds
          ? right(false)
          : good.consume(kind, id, atSeconds)()
      },
    }),
  }),
  ...caught('consuming an entry leaves those of other kinds and ids', {
    'consumes all kinds': (good) => ({
      consume: (kind, id, atSeconds) => async () => {
        for (const other of PROTOCOL_KINDS) if (other !== kind) await good.consume(other, id, atSeconds)()
        return good.consume(kind, id, atSeconds)()
      },
    }),
  }),
  ...caught('a removed entry that is put again can be consumed again', {
    'remembers what was consumed': (good) => {
      const consumed = new Set<string>()
      return {
        consume: (kind, id, atSeconds) => async () => {
          if (consumed.has(id)) return right(false)
          consumed.add(id)
          return good.consume(kind, id, atSeconds)()
        },
      }
    },
  }),
  ...caught(AT_ONCE, { 'reads, and consumes a turn later': consumesLate }),
  ...caught('entries that are put and consumed at once stay consumed', {
    'reads, and puts a turn later': putsLate,
  }),
  ...caught('a consumption that is not run does nothing', { 'consumes before it is run': eager('consume') }),
]

const AFTER_CLOSE = /^after close, it is StoreUnavailable with a reason: /
const NEVER_USED = 'an unused state can be closed'

const OF_CLOSING = [
  ...Object.entries(NO_ANSWERS).flatMap(([how, say]) =>
    caught(how === 'gives no reason' ? AFTER_CLOSE : [AFTER_CLOSE, NEVER_USED], {
      [`${how} after it is closed`]: (good) => endingAs(good, always(good, say)),
    }),
  ),
  ...PROTOCOL_STATE_METHODS.flatMap((method) =>
    caught(`after close, it is StoreUnavailable with a reason: ${method}`, {
      [`goes on after that: ${method}`]: () => ({ [method]: () => async () => right(undefined) }),
    }),
  ),
  ...caught('closing twice, or twice at once, does nothing more', { 'cannot be closed twice': closesOnce }),
  ...caught('writes that start before close are done when it resolves', {
    'drops what waits when it is closed': late('put'),
  }),
  ...caught('what starts after close has begun is not done', { 'writes until it is closed': closesLate }),
]

export const PROTOCOL_STATE_MUTATIONS = [...OF_ENTRIES, ...OF_CONSUMING, ...OF_CLOSING]
