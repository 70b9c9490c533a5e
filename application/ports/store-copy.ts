import type { Either } from 'fp-ts/lib/Either.js'
import type { TaskEither } from 'fp-ts/lib/TaskEither.js'
import type { Mail } from '../../domain/mail.ts'
import type { Failures } from '../../domain/throttle.ts'
import type { StoredTile, TreeState } from './log-tree.ts'
import type { RowOf, StoreUnavailable, Table } from './store.ts'

/**
 * Copies everything that a storage keeps into another one, once: an optional port of a storage.
 *
 * A copy has a source and a target. The source is locked, and read page by page. The target is incomplete until it has everything. Then
 * the source is marked as moved, and after that the target is completed. So at no moment do both accept changes.
 *
 * An incomplete store and a moved one refuse every method of `Store` and `LogTree` that writes, with `StoreUnavailable`. They compare the
 * copy state in the transaction that writes, because the state may have been set by another process. There is one exception:
 * `Store.renewEpoch` opens a moved store again, under the new epoch. Reads go on.
 *
 * No method throws or rejects. After the `close` of the store, every method answers `StoreUnavailable`.
 */
export interface StoreCopy {
  /** Returns what the store is, as last committed. A running service asks once a second, so it is cheap. */
  readCopyState(): TaskEither<StoreUnavailable, CopyState>

  /** Returns what the store contains, all as of one moment. */
  readContents(): TaskEither<StoreUnavailable, StoreContents>

  /**
   * Runs `work` while nobody can change anything in the store. Changes meanwhile wait or fail; reads go on.
   *
   * - `work` resolves with a `Right`: the store is marked as moved, durably, before the lock ends.
   * - `work` resolves with a `Left`: nothing has changed.
   * - The process dies, or loses the lock: nothing has changed. The lock ends within seconds.
   * - `outcome: 'unknown'`: the store may have been marked.
   *
   * It is `NotOpen`, and `work` is not called, if the store is incomplete or has moved.
   *
   * @param copy its id, and the place of the target
   * @param work reads through the given source. It does not reject
   */
  lock<Failure, A>(
    copy: Copy,
    work: (source: LockedSource) => Promise<Either<Failure, A>>,
  ): TaskEither<Failure | NotOpen | StoreUnavailable, A>

  /**
   * Marks the store as the incomplete target of a copy, durably, and empties it after that. It takes the epoch of the source. The store must be
   * open and without entries, rows and counts. Or it is incomplete, and the unfinished copy came from the same place in the same
   * epoch: then it is emptied. The place alone may name another store, because another host can have a file of the same name.
   *
   * @param copy its id, and the place of the source
   * @param contents those of the source. The next write renews the epoch if `isCopy`
   */
  begin(copy: Copy, contents: StoreContents): TaskEither<NotEmpty | StoreUnavailable, void>

  /**
   * Writes a page in one transaction. Entries keep their positions, and positions may be missing. It is `StoreUnavailable`, and writes
   * nothing, unless the store is the incomplete target of this copy.
   */
  write(copyId: string, page: CopyPage): TaskEither<StoreUnavailable, void>

  /**
   * Resolves when all written pages are as durable as an acknowledged change. A standby that may become the primary has them, too. The
   * source is marked only after that. It is `StoreUnavailable` unless the store is the incomplete target of this copy.
   */
  settle(copyId: string): TaskEither<StoreUnavailable, void>

  /**
   * Opens the incomplete target of this copy, durably. The next entry follows the last one, in the same epoch. It does nothing if that
   * is done already, and is `StoreUnavailable` for every other store.
   */
  complete(copyId: string): TaskEither<StoreUnavailable, void>
}

/** One copy. `place` is the other store as messages may show it, without a secret. */
export type Copy = Readonly<{ id: string; place: string }>

/**
 * What a store is. `open`: it may be written. With `copyId`, this copy has filled it. `incomplete`: the target of a copy from `place`, which
 * is not complete. `moved`: the source of a copy to `place`.
 */
export type CopyState =
  | Readonly<{ state: 'open'; copyId: string | undefined }>
  | Readonly<{ state: 'incomplete' | 'moved'; copyId: string; place: string }>

/** The source, while it is locked. */
export type LockedSource = Readonly<{
  contents: StoreContents
  /** Yields everything, at most `COPY_PAGE` items at a time: the log ascending, then all else. It ends after a failure. */
  pages: () => AsyncIterable<Either<StoreUnavailable, CopyPage>>
}>

/** The number of items in a page. */
export const COPY_PAGE = 1_000

/** One kind of items. */
export type CopyPage =
  | Readonly<{ part: 'log'; entries: ReadonlyArray<StoredEntry> }>
  | { [T in Table]: Readonly<{ part: T; rows: ReadonlyArray<RowOf<T>> }> }[Table]
  | Readonly<{ part: 'tiles'; tiles: ReadonlyArray<StoredTile> }>
  | Readonly<{ part: 'counts'; counts: ReadonlyArray<StoredCount> }>
  | Readonly<{ part: 'mails'; rows: ReadonlyArray<Mail> }>

export type CopyPart = CopyPage['part']

/** An entry of the log as it is stored. `data` is JSON, with the same bytes in each store, because checkpoints cover them. */
export type StoredEntry = Readonly<{
  position: number
  id: string
  type: string
  version: number
  at: string
  subject_kind: string
  subject_id: string
  actor_kind: string
  actor_id: string | null
  request_id: string | null
  data: string
}>

/** A failure count. `key` is the SHA-256 (hexadecimal) of the key in UTF-16LE, because some stores keep nothing else of it. */
export type StoredCount = Readonly<{ key: string; kind: string }> & Failures

/** What a store contains. */
export type StoreContents = Readonly<{
  epoch: string
  /** Whether the log continues from a copy, such as a restored back-up, and gets a new epoch with the next write. */
  isCopy: boolean
  /** The position of the last entry; 0 in an empty log. */
  last: number
  tree: TreeState & Readonly<{ pruned: number }>
  /** The number of items of each part. */
  items: Readonly<Record<CopyPart, number>>
}>

/** The store is the target of a copy, or has moved. */
export type NotOpen = Readonly<{ _tag: 'NotOpen'; copyState: CopyState }>

/** The store cannot be the target: it has contents, or an unfinished copy of another store, or has moved. */
export type NotEmpty = Readonly<{ _tag: 'NotEmpty'; copyState: CopyState }>
