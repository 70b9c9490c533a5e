import { isLeft } from 'fp-ts/lib/Either.js'
import type { NewProtocolEntry, ProtocolState } from '../../../application/ports/protocol-state.ts'
import { caughtBy } from './harness.ts'
import type { Mutate } from './mutations.ts'

const caught = caughtBy<Mutate<ProtocolState>>

const LAST = 'a session keeps the entries that were added last, if they expire in the same second'
const EXPIRY = 'those that expire first go, and the added one stays'
const REPLACED = 'a replaced entry does not count'
const CONSUMED = 'consumed entries do not count, and stay'
const OTHERS = 'entries of other kinds and sessions, and those without a session, stay'
const WITHOUT_SESSION = 'entries without a session have no such limit'
const LOST = 'a replacement that lost drops nothing'

type Known = ReadonlyArray<NewProtocolEntry>

/** Keeps every entry, and then drops what a judgement of all added ones says. */
const dropping =
  (
    surplus: (known: Known, next: NewProtocolEntry, atMost: number) => Known,
    afterLosing = false,
  ): Mutate<ProtocolState> =>
  (good) => {
    const known: Array<NewProtocolEntry> = []
    const consumed = new Set<string>()
    return {
      put: (entry) => () => {
        known.push(entry)
        return good.put(entry)()
      },
      consume: (kind, id, atSeconds) => () => {
        consumed.add(`${kind} ${id}`)
        return good.consume(kind, id, atSeconds)()
      },
      replace: (kind, id, replacement) => async () => {
        const { next, unconsumedAtMost } = replacement
        const outcome = await good.replace(kind, id, { ...replacement, unconsumedAtMost: 1_000 })()
        if (isLeft(outcome) || !(outcome.right || afterLosing)) return outcome
        if (outcome.right) known.push(next)
        consumed.add(`${kind} ${id}`)
        const counted = known.filter((one) => !consumed.has(`${one.kind} ${one.id}`))
        for (const one of surplus(counted, next, unconsumedAtMost)) await good.remove(one.kind, one.id)()
        return outcome
      },
    }
  }

const sessionOf = ({ sessionId }: NewProtocolEntry): string => JSON.stringify(sessionId)

const ofSession = (known: Known, next: NewProtocolEntry): Known =>
  known.filter((one) => one.kind === next.kind && sessionOf(one) === sessionOf(next))

/** The first so many too many. */
const first = (entries: Known, atMost: number): Known =>
  entries.slice(0, Math.max(0, entries.length - atMost))

const byExpiry = (entries: Known): Known =>
  [...entries].sort((one, other) => one.expiresAtSeconds - other.expiresAtSeconds)

const rightOrder = (known: Known, next: NewProtocolEntry): Known => [
  ...byExpiry(ofSession(known, next).filter((one) => one !== next)),
  next,
]

/** A state that keeps too many entries of a session, or drops the wrong ones. */
export const PROTOCOL_STATE_SURPLUS_MUTATIONS = [
  ...caught([LAST, EXPIRY, OTHERS], {
    'keeps every entry of a session': dropping(() => []),
  }),
  ...caught(LAST, {
    'drops those with the lowest ids': dropping((known, next, atMost) => {
      const others = rightOrder(known, next).slice(0, -1)
      return first(
        [...others].sort((one, other) => (one.id < other.id ? -1 : 1)),
        atMost - 1,
      )
    }),
  }),
  ...caught(EXPIRY, {
    'drops those that were added first': dropping((known, next, atMost) =>
      first(ofSession(known, next), atMost),
    ),
    'drops the added one, if it expires first': dropping((known, next, atMost) =>
      first(byExpiry(ofSession(known, next)), atMost),
    ),
  }),
  ...caught(REPLACED, {
    'counts the replaced entry': (good) => ({
      replace: (kind, id, replacement) =>
        good.replace(kind, id, {
          ...replacement,
          unconsumedAtMost: replacement.unconsumedAtMost - (kind === replacement.next.kind ? 1 : 0),
        }),
    }),
  }),
  ...caught(CONSUMED, {
    'counts consumed entries': (good) => {
      const known: Array<NewProtocolEntry> = []
      return {
        put: (entry) => () => {
          known.push(entry)
          return good.put(entry)()
        },
        replace: (kind, id, replacement) => async () => {
          const { next, unconsumedAtMost } = replacement
          const outcome = await good.replace(kind, id, replacement)()
          const left = rightOrder([...known, next], next)
          for (const one of first(left, unconsumedAtMost)) await good.remove(one.kind, one.id)()
          return outcome
        },
      }
    },
  }),
  ...caught(OTHERS, {
    'counts all kinds of a session': dropping((known, next, atMost) =>
      first(byExpiry(known.filter((one) => sessionOf(one) === sessionOf(next))), atMost),
    ),
    'counts all sessions': dropping((known, next, atMost) =>
      first(byExpiry(known.filter(({ kind }) => kind === next.kind)), atMost),
    ),
  }),
  ...caught(WITHOUT_SESSION, {
    'takes no session for one': dropping((known, next, atMost) => first(rightOrder(known, next), atMost)),
  }),
  ...caught(LOST, {
    'drops although it lost': dropping((known, next, atMost) => first(rightOrder(known, next), atMost), true),
  }),
]
