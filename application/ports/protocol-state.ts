import type { Option } from 'fp-ts/lib/Option.js'
import type { Task } from 'fp-ts/lib/Task.js'
import type { TaskEither } from 'fp-ts/lib/TaskEither.js'
import type { StoreUnavailable } from './store.ts'

/**
 * Keeps what an OpenID provider must remember between two requests of one protocol run: an optional port of a storage. It is beside the
 * event log and its rows. Without an entry, its user signs in again.
 *
 * Every method may be called at any time, concurrently, also from several processes on one store. A read finds everything that was
 * written before it, by any process. No method throws or rejects. After `close`, every method answers `StoreUnavailable`.
 *
 * A resolved write is as durable as a change: a client that holds a refresh token has nothing else. `store copy` copies no entry. A
 * shared store that it has closed refuses every write.
 */
export interface ProtocolState {
  /**
   * Adds an entry, which is not consumed. If there is one of this kind and id, it replaces its content and expiry only: a consumed
   * entry stays consumed.
   *
   * Of each kind the store keeps about as many entries as `ENTRIES_KEPT_AT_MOST` says, so that strangers cannot fill the disk. A full
   * kind drops only its own entries: those that expire first.
   */
  put(entry: NewProtocolEntry): TaskEither<StoreUnavailable, void>

  /** Returns the entry, also a consumed or expired one that was not deleted yet: the caller judges it. */
  find(kind: ProtocolKind, id: string): TaskEither<StoreUnavailable, Option<ProtocolEntry>>

  /**
   * Marks an entry as consumed at this second. It resolves with true for exactly one of all calls, from any process, and with false if
   * the entry is consumed already, or absent. It ignores the expiry. A call that failed may have consumed the entry.
   */
  consume(kind: ProtocolKind, id: string, atSeconds: number): TaskEither<StoreUnavailable, boolean>

  /**
   * Consumes an entry as `consume` does, and in the same change adds the one that replaces it. So a client never loses both. The consumed one
   * expires at `keptUntilSeconds` at the latest: until then, its second use is noticed. False: nothing was added.
   *
   * If the session of the added entry then has more than `unconsumedAtMost` entries of this kind that are not consumed, those go that expire
   * first, and of several the oldest. The added one stays. Replacements at once may leave some too many until the next one.
   */
  replace(
    kind: ProtocolKind,
    id: string,
    replacement: ProtocolReplacement,
  ): TaskEither<StoreUnavailable, boolean>

  /** Deletes an entry, if it is there. */
  remove(kind: ProtocolKind, id: string): TaskEither<StoreUnavailable, void>

  /**
   * Deletes all entries of a session. A session that lasts for weeks can have thousands of consumed refresh tokens, so the store deletes
   * them in several bounded transactions. After a failure, some may be left, and the caller may call it again.
   */
  removeOfSession(sessionId: string): TaskEither<StoreUnavailable, void>

  /**
   * Deletes at most `atMost` entries of all kinds that expired before this second, consumed or not. It resolves with their number. Other
   * entries should not make it slower.
   */
  deleteExpired(nowSeconds: number, atMost: number): TaskEither<StoreUnavailable, number>

  /** Resolves when every write before it is done. Calling it twice, or twice at once, does nothing more. It never rejects. */
  close: Task<void>
}

/** What an entry is: the grant of a session, an authorization code, a refresh token, or a pushed authorization request (RFC 9126). */
export type ProtocolKind = 'grant' | 'code' | 'refresh_token' | 'pushed_request'

/** Its texts are ASCII without control characters, and its seconds are since 1970. */
export type ProtocolEntry = Readonly<{
  kind: ProtocolKind
  /** The SHA-256 of the code or token in hexadecimal, or the id of the session for a grant. Never the secret itself. */
  id: string
  /** None for a pushed request. */
  sessionId: Option<string>
  /** The store does not read it. */
  content: string
  consumedAtSeconds: Option<number>
  expiresAtSeconds: number
}>

export type NewProtocolEntry = Omit<ProtocolEntry, 'consumedAtSeconds'>

/** `next` is a new entry. */
export type ProtocolReplacement = Readonly<{
  atSeconds: number
  keptUntilSeconds: number
  unconsumedAtMost: number
  next: NewProtocolEntry
}>

/**
 * How many entries of each kind are kept. Strangers can add pushed requests only, of up to 16 KiB: public clients push them without a secret. Each entry of
 * the other kinds belongs to a session, which only a sign-in creates. So these kinds need no limit.
 */
export const ENTRIES_KEPT_AT_MOST: Readonly<Record<ProtocolKind, number>> = {
  grant: Number.POSITIVE_INFINITY,
  code: Number.POSITIVE_INFINITY,
  refresh_token: Number.POSITIVE_INFINITY,
  pushed_request: 20_000,
}

export const PROTOCOL_KINDS = Object.keys(ENTRIES_KEPT_AT_MOST) as ReadonlyArray<ProtocolKind>

/** The methods of the port that can fail. */
export const PROTOCOL_STATE_METHODS = [
  'put',
  'find',
  'consume',
  'replace',
  'remove',
  'removeOfSession',
  'deleteExpired',
] as const satisfies ReadonlyArray<keyof ProtocolState>
