import { left, right } from 'fp-ts/lib/Either.js'
import type { Option } from 'fp-ts/lib/Option.js'
import { memoryProtocolState } from '../../../adapters/stores/memory/protocol-state.ts'
import type { ProtocolEntry, ProtocolState } from '../../../application/ports/protocol-state.ts'
import { caughtBy } from './harness.ts'
import { late, type MutateHandles, oneAfterTheOther, turn, UNAVAILABLE } from './mutations.ts'
import { consumesLate } from './protocol-state.ts'
import { replacesLate } from './protocol-state-replacing.ts'

export type ProtocolHandles = MutateHandles<ProtocolState>
const caught = caughtBy<ProtocolHandles>

const nothing = () => async () => right(undefined)

/** A state that differs after it is reopened. */
export const LASTING_PROTOCOL_STATE_MUTATIONS = [
  ...caught(['entries are there again', 'consumed entries are consumed again'], {
    'forgets everything': () => (_, life) => (life === 1 ? {} : memoryProtocolState()),
  }),
  ...caught('consumed entries are consumed again', {
    'forgets what was consumed': () => (_, life) =>
      life === 1 ? { consume: () => async () => right(true) } : {},
  }),
  ...caught('replaced entries and their next ones are there again', {
    'forgets what was replaced': () => (_, life) =>
      life === 1 ? { replace: () => async () => right(true) } : {},
  }),
  ...caught('a replacement that failed has neither consumed nor added an entry', {
    'consumes the entry although it fails': (core) => (_, life) =>
      life === 1
        ? {
            replace:
              (kind, id, { atSeconds }) =>
              async () => {
                await core.consume(kind, id, atSeconds)()
                return left(UNAVAILABLE)
              },
          }
        : {},
    'adds the next entry although it fails': (core) => (_, life) =>
      life === 1
        ? {
            replace:
              (_kind, _id, { next }) =>
              async () => {
                await core.put(next)()
                return left(UNAVAILABLE)
              },
          }
        : {},
  }),
  ...caught('removed entries are not there again', {
    'comes back with what was removed': () => (_, life) => (life === 1 ? { remove: nothing } : {}),
    'comes back with the entries of a session': () => (_, life) =>
      life === 1 ? { removeOfSession: nothing } : {},
    'comes back with what expired': () => (_, life) =>
      life === 1 ? { deleteExpired: () => async () => right(0) } : {},
  }),
  ...caught('writes that were not awaited before close are there', {
    'drops what waits when it is closed': () => (handle, life) =>
      life === 1 ? late<ProtocolState>('put')(handle) : {},
  }),
]

/** Finds what the handle has found before. */
const remembering: ProtocolHandles = () => (handle) => {
  const known = new Map<string, Option<ProtocolEntry>>()
  return {
    find: (kind, id) => async () => {
      const before = known.get(`${kind} ${id}`)
      if (before !== undefined) return right(before)
      const outcome = await handle.find(kind, id)()
      if (outcome._tag === 'Right') known.set(`${kind} ${id}`, outcome.right)
      return outcome
    },
  }
}

/** A state whose handles ignore each other. */
export const SHARED_PROTOCOL_STATE_MUTATIONS = [
  ...caught(
    [
      'what one handle puts, the others find at once, even after they looked',
      'what one handle consumes, the others find consumed',
      'what one handle removes, the others do not find',
    ],
    { 'finds what it found before': remembering },
  ),
  ...caught('of 60 calls at once through several handles, exactly one consumes each entry', {
    'looks under a lock of the handle, and consumes later': () => (handle) => {
      const locked = oneAfterTheOther()
      const { consume = handle.consume } = consumesLate(handle)
      return { consume: (kind, id, at) => () => locked(consume(kind, id, at)) }
    },
  }),
  ...caught('what one handle replaces, the others find replaced', {
    'adds the next entry although another handle won': () => (handle) => ({
      replace: (kind, id, replacement) => async () => {
        await handle.put(replacement.next)()
        return handle.consume(kind, id, replacement.atSeconds)()
      },
    }),
  }),
  ...caught(
    'of 60 replacements at once through several handles, exactly one wins, and only its next entry is there',
    {
      'looks under a lock of the handle, and replaces later': () => (handle) => {
        const locked = oneAfterTheOther()
        const { replace = handle.replace } = replacesLate(handle)
        return { replace: (kind, id, replacement) => () => locked(replace(kind, id, replacement)) }
      },
    },
  ),
  ...caught('60 replacements at once leave few entries of their session, and the next one none too many', {
    'counts only the entries that its handle has added': () => (handle) => {
      const added: Array<string> = []
      return {
        replace: (kind, id, replacement) => async () => {
          const { next, unconsumedAtMost } = replacement
          added.push(next.id)
          const outcome = await handle.replace(kind, id, { ...replacement, unconsumedAtMost: 1_000 })()
          const surplus = added.splice(0, Math.max(0, added.length - unconsumedAtMost))
          for (const one of surplus) await handle.remove(next.kind, one)()
          return outcome
        },
      }
    },
  }),
  ...caught('removals and consumptions at once through several handles all succeed', {
    'refuses to remove while another handle does': (core) => {
      let isBusy = false
      return () => ({
        removeOfSession: (sessionId) => async () => {
          if (isBusy) return left(UNAVAILABLE)
          isBusy = true
          await turn()
          isBusy = false
          return core.removeOfSession(sessionId)()
        },
      })
    },
  }),
  ...caught('closing one handle drops none of its writes, and leaves the others open', {
    'drops what waits when a handle is closed': () => late('put'),
  }),
]
