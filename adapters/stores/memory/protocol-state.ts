import { right } from 'fp-ts/lib/Either.js'
import * as O from 'fp-ts/lib/Option.js'
import type { TaskEither } from 'fp-ts/lib/TaskEither.js'
import {
  ENTRIES_KEPT_AT_MOST,
  type NewProtocolEntry,
  PROTOCOL_KINDS,
  type ProtocolEntry,
  type ProtocolKind,
  type ProtocolState,
} from '../../../application/ports/protocol-state.ts'
import type { StoreUnavailable } from '../../../application/ports/store.ts'
import { STORE_CLOSED } from '../records/unavailable.ts'

/**
 * The protocol state in the memory of the process.
 *
 * @param keptAtMost the number of entries of each kind
 */
export const memoryProtocolState = (keptAtMost = ENTRIES_KEPT_AT_MOST): ProtocolState => {
  const entries = new Map(PROTOCOL_KINDS.map((kind) => [kind, new Map<string, ProtocolEntry>()]))
  let closed = false

  const ofKind = (kind: ProtocolKind): Map<string, ProtocolEntry> => entries.get(kind) ?? new Map()

  const unlessClosed =
    <A>(work: () => A): TaskEither<StoreUnavailable, A> =>
    async () =>
      closed ? STORE_CLOSED : right(work())

  const deleteWhere = (
    isMeant: (entry: ProtocolEntry) => boolean,
    atMost = Number.POSITIVE_INFINITY,
  ): number => {
    let deleted = 0
    for (const kept of entries.values())
      for (const [id, entry] of kept)
        if (deleted < atMost && isMeant(entry)) {
          kept.delete(id)
          deleted += 1
        }
    return deleted
  }

  return {
    put: (entry) =>
      unlessClosed(() => {
        const kept = ofKind(entry.kind)
        const known = kept.get(entry.id)
        const { content, expiresAtSeconds } = entry
        kept.set(
          entry.id,
          known === undefined
            ? { ...entry, consumedAtSeconds: O.none }
            : { ...known, content, expiresAtSeconds },
        )
        if (kept.size > keptAtMost[entry.kind]) makeRoom(kept, keptAtMost[entry.kind])
      }),
    find: (kind, id) => unlessClosed(() => O.fromNullable(ofKind(kind).get(id))),
    consume: (kind, id, atSeconds) =>
      unlessClosed(() => {
        const found = ofKind(kind).get(id)
        if (found === undefined || O.isSome(found.consumedAtSeconds)) return false
        ofKind(kind).set(id, { ...found, consumedAtSeconds: O.some(atSeconds) })
        return true
      }),
    replace: (kind, id, { atSeconds, keptUntilSeconds, unconsumedAtMost, next }) =>
      unlessClosed(() => {
        const found = ofKind(kind).get(id)
        if (found === undefined || O.isSome(found.consumedAtSeconds)) return false
        const expiresAtSeconds = Math.min(found.expiresAtSeconds, keptUntilSeconds)
        ofKind(kind).set(id, { ...found, expiresAtSeconds, consumedAtSeconds: O.some(atSeconds) })
        ofKind(next.kind).set(next.id, { ...next, consumedAtSeconds: O.none })
        if (O.isSome(next.sessionId)) dropSurplus(ofKind(next.kind), next, unconsumedAtMost)
        return true
      }),
    remove: (kind, id) => unlessClosed(() => void ofKind(kind).delete(id)),
    removeOfSession: (sessionId) =>
      unlessClosed(() => void deleteWhere((entry) => O.toUndefined(entry.sessionId) === sessionId)),
    deleteExpired: (nowSeconds, atMost) =>
      unlessClosed(() => deleteWhere(({ expiresAtSeconds }) => expiresAtSeconds < nowSeconds, atMost)),
    close: async () => {
      closed = true
    },
  }
}

/** Deletes unconsumed entries of the session of the next one, but never that one. A map keeps its entries in the order in which they were added. */
const dropSurplus = (kept: Map<string, ProtocolEntry>, next: NewProtocolEntry, atMost: number): void => {
  const ofSession = [...kept.values()].filter(
    ({ id, sessionId, consumedAtSeconds }) =>
      id !== next.id &&
      O.isNone(consumedAtSeconds) &&
      O.toUndefined(sessionId) === O.toUndefined(next.sessionId),
  )
  const byExpiry = ofSession.sort((one, other) => one.expiresAtSeconds - other.expiresAtSeconds)
  for (const { id } of byExpiry.slice(0, Math.max(0, byExpiry.length + 1 - atMost))) kept.delete(id)
}

/** Deletes those that expire first, a twentieth at once, so that it rarely sorts. */
const makeRoom = (kept: Map<string, ProtocolEntry>, keptAtMost: number): void => {
  const byExpiry = [...kept].sort(([, one], [, other]) => one.expiresAtSeconds - other.expiresAtSeconds)
  const excess = kept.size - Math.floor(keptAtMost * 0.95)
  for (const [id] of byExpiry.slice(0, excess)) kept.delete(id)
}
