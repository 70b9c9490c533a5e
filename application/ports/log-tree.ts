import type { Option } from 'fp-ts/lib/Option.js'
import type { Task } from 'fp-ts/lib/Task.js'
import type { TaskEither } from 'fp-ts/lib/TaskEither.js'
import type { LogLines } from './log-lines.ts'
import type { Store, StoreUnavailable } from './store.ts'

/**
 * The Merkle tree of the log: an optional port of a store, which makes its history verifiable.
 *
 * The tree follows from the log alone, and the store neither hashes nor signs. It keeps what the service computes, and the service checks it
 * before it signs. A running service stops signing if the store returns an older tree than before.
 */
export interface LogTree extends LogLines {
  /** Returns the tree as last stored, and the epoch and size of the log, all as of one moment. */
  readTree(): TaskEither<StoreUnavailable, StoredTree>

  /** Returns the stored hashes of a hash tile: 32 bytes each, at most 256 of them, and none for an unknown tile. */
  readTile(tile: TileName): TaskEither<StoreUnavailable, Uint8Array>

  /**
   * Calls `extend` with the stored tree, and writes the tree and the tiles that it returns in one durable transaction. Each of
   * them replaces the stored one.
   *
   * It resolves with false, and writes nothing, if `extend` returns none, or if another caller has stored another tree
   * meanwhile. A store that several instances use should let one caller at a time work, and may resolve with false for the
   * others without calling `extend`. No commit waits for it.
   *
   * @param extend reads with the given methods. It does not reject, and takes at most a second
   */
  extendTree(extend: ExtendTree): TaskEither<StoreUnavailable, boolean>

  /**
   * Deletes entries of the log, and notes that entries up to the position `through` may be missing, in one durable transaction. The
   * other entries keep their positions. It resolves with the number of deleted entries; those that are missing already do not count.
   * So a caller may repeat it after a lost answer.
   *
   * It is `StoreUnavailable`, and nothing changes, if one of the entries has a position above `through`, is the last one of the
   * log, or has a type that is not in `PRUNABLE_TYPES`. A schema that guards the log allows these deletions only.
   *
   * @param pruned.positions at most 1,000
   */
  pruneLog(pruned: PrunedEntries): TaskEither<StoreUnavailable, number>
}

export type PrunedEntries = Readonly<{ through: number; positions: ReadonlyArray<number> }>

export type ExtendTree = (tree: StoredTree, reads: TreeReads) => Task<Option<TreeExtension>>

export type TreeReads = Pick<LogTree, 'readLines' | 'readTile'>

/** What the store keeps of a tree beside its tiles. */
export type TreeState = Readonly<{
  /** The origin of the tree without the epoch. '' until the service has named it. */
  originPrefix: string
  /** The number of entries in the tree. */
  size: number
  /** The root, base64. */
  root: string
  /** The newest signed checkpoint, or ''. */
  note: string
}>

/**
 * `epoch` is the epoch of the log, and `entries` the position of its last entry. Entries up to `pruned` may be missing: it is the highest
 * `through` so far, or 0.
 */
export type StoredTree = TreeState & Readonly<{ epoch: string; entries: number; pruned: number }>

/** A tile at level L has hashes of the level 8 L of the tree. */
export type TileName = Readonly<{ level: number; index: number }>

/** A tile with all of its hashes. */
export type StoredTile = TileName & Readonly<{ hashes: Uint8Array }>

export type TreeExtension = TreeState & Readonly<{ tiles: ReadonlyArray<StoredTile> }>

/** The tree of a new store. The root is that of no entries: SHA-256 of nothing (RFC 6962 §2.1). */
export const EMPTY_TREE: TreeState = {
  originPrefix: '',
  size: 0,
  root: '47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU=',
  note: '',
}

/** The methods of the port, or undefined if the store does not implement it. */
export const treeOf = (store: Pick<Store, 'readEpoch'> & Partial<LogTree>): LogTree | undefined =>
  hasTree(store)
    ? {
        readLines: (query) => store.readLines(query),
        readTree: () => store.readTree(),
        readTile: (tile) => store.readTile(tile),
        extendTree: (extend) => store.extendTree(extend),
        pruneLog: (pruned) => store.pruneLog(pruned),
      }
    : undefined

const hasTree = <A extends Partial<LogTree>>(store: A): store is A & LogTree =>
  store.readLines !== undefined &&
  store.readTree !== undefined &&
  store.readTile !== undefined &&
  store.extendTree !== undefined &&
  store.pruneLog !== undefined
