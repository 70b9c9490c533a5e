import { right } from 'fp-ts/lib/Either.js'
import { isNone } from 'fp-ts/lib/Option.js'
import {
  PROTOCOL_KINDS,
  type ProtocolReplacement,
  type ProtocolState,
} from '../../../application/ports/protocol-state.ts'
import { caughtBy } from './harness.ts'
import { eager, type Mutate, mutationsOf, turn } from './mutations.ts'
import { look } from './protocol-state.ts'

const { answer, hear } = mutationsOf<ProtocolState>()
const caught = caughtBy<Mutate<ProtocolState>>

/** Hears another replacement. */
const hearing = (
  alter: (asked: ProtocolReplacement) => Partial<ProtocolReplacement>,
): Mutate<ProtocolState> => hear('replace', (kind, id, asked) => [kind, id, { ...asked, ...alter(asked) }])

/** Does something before it replaces. */
const before =
  (
    work: (good: ProtocolState, ...asked: Parameters<ProtocolState['replace']>) => Promise<unknown>,
  ): Mutate<ProtocolState> =>
  (good) => ({
    replace: (kind, id, replacement) => async () => {
      await work(good, kind, id, replacement)
      return good.replace(kind, id, replacement)()
    },
  })

/** Reads, and writes a turn later. */
export const replacesLate: Mutate<ProtocolState> = (good) => ({
  replace:
    (kind, id, { atSeconds, next }) =>
    async () => {
      const entry = await look(good, kind, id)
      await turn()
      if (entry === undefined || !isNone(entry.consumedAtSeconds)) return right(false)
      await good.consume(kind, id, atSeconds)()
      await good.put(next)()
      return right(true)
    },
})

const ONCE = /^an entry is replaced once/
const TURN = 'the next entry is replaced in its turn'
const AGAIN = 'a replaced entry is not replaced again, and nothing is added'
const CONSUMED = 'a consumed entry is not replaced, and nothing is added'
const NOT_CONSUMED = 'a replaced entry is not consumed'
const ABSENT = 'an absent entry is not replaced, and nothing is added'
const OTHER_KIND = 'the next entry may be of another kind and session'
const SHORTER = 'a replaced entry expires at the earlier second: that of the replacement'
const OWN = 'a replaced entry expires at the earlier second: its own'
const AT_ONCE = 'of 20 replacements at once, exactly one wins, and only its next entry is there'
const WITH_CONSUMPTIONS = 'of replacements and consumptions at once, exactly one wins'

/** A state that replaces twice, by halves, or too much. */
export const PROTOCOL_STATE_REPLACING_MUTATIONS = [
  ...caught([ONCE, OTHER_KIND, TURN, AT_ONCE], {
    'consumes, and forgets the next entry': (good) => ({
      replace: (kind, id, { atSeconds }) => good.consume(kind, id, atSeconds),
    }),
  }),
  ...caught([ONCE, AGAIN, NOT_CONSUMED, AT_ONCE, WITH_CONSUMPTIONS], {
    'adds the next entry, and consumes nothing': (good) => ({
      replace:
        (_kind, _id, { next }) =>
        async () => {
          await good.put(next)()
          return right(true)
        },
    }),
  }),
  ...caught([AGAIN, CONSUMED, ABSENT, AT_ONCE], {
    'adds the next entry although it lost': before((good, _kind, _id, { next }) => good.put(next)()),
  }),
  ...caught([AGAIN, CONSUMED, ABSENT, AT_ONCE, WITH_CONSUMPTIONS], {
    'always answers that it replaced': answer('replace', () => true),
  }),
  ...caught([AGAIN, CONSUMED], {
    'shortens an entry that was consumed before': (good) => ({
      replace: (kind, id, replacement) => async () => {
        const entry = await look(good, kind, id)
        const outcome = await good.replace(kind, id, replacement)()
        if (entry !== undefined)
          await good.put({ ...entry, expiresAtSeconds: replacement.keptUntilSeconds })()
        return outcome
      },
    }),
  }),
  ...caught(ABSENT, {
    'consumes an entry of another kind': before(async (good, kind, id, { atSeconds }) => {
      for (const other of PROTOCOL_KINDS) if (other !== kind) await good.consume(other, id, atSeconds)()
    }),
  }),
  ...caught(OTHER_KIND, {
    'keeps the kind': (good) => ({
      replace: (kind, id, replacement) =>
        good.replace(kind, id, { ...replacement, next: { ...replacement.next, kind } }),
    }),
    'keeps the session': (good) => ({
      replace: (kind, id, replacement) => async () => {
        const entry = await look(good, kind, id)
        const sessionId = entry?.sessionId ?? replacement.next.sessionId
        return good.replace(kind, id, { ...replacement, next: { ...replacement.next, sessionId } })()
      },
    }),
  }),
  ...caught(TURN, {
    'adds the next entry as a consumed one': (good) => ({
      replace: (kind, id, replacement) => async () => {
        const outcome = await good.replace(kind, id, replacement)()
        await good.consume(replacement.next.kind, replacement.next.id, replacement.atSeconds)()
        return outcome
      },
    }),
  }),
  ...caught('an expired entry can be replaced', {
    'judges the expiry': (good) => ({
      replace: (kind, id, replacement) => async () => {
        const entry = await look(good, kind, id)
        return entry !== undefined && entry.expiresAtSeconds < replacement.atSeconds
          ? right(false)
          : good.replace(kind, id, replacement)()
      },
    }),
  }),
  ...caught(SHORTER, {
    'does not shorten': hearing(() => ({ keptUntilSeconds: Number.MAX_SAFE_INTEGER })),
  }),
  ...caught(OWN, {
    'lengthens an entry': (good) => ({
      replace: (kind, id, replacement) => async () => {
        const entry = await look(good, kind, id)
        const outcome = await good.replace(kind, id, replacement)()
        if (entry !== undefined && isNone(entry.consumedAtSeconds))
          await good.put({ ...entry, expiresAtSeconds: replacement.keptUntilSeconds })()
        return outcome
      },
    }),
  }),
  ...caught([AT_ONCE, WITH_CONSUMPTIONS], { 'reads, and replaces a turn later': replacesLate }),
  ...caught('a replacement that is not run does nothing', { 'replaces before it is run': eager('replace') }),
]
