import { EMPTY_TREE, type StoredTree } from '../../application/ports/log-tree.ts'
import type { StoreKind } from '../support/store-kind.ts'

/** Statements of an attacker, perhaps different ones for each store. */
export type Sql = ReadonlyArray<string> | ((store: string) => ReadonlyArray<string>)

/** AS TILE casts to the type of tiles. */
export const statementsOn = ({ name }: Pick<StoreKind, 'name'>, sql: Sql): ReadonlyArray<string> =>
  (typeof sql === 'function' ? sql(name) : sql).map((each) =>
    each.replace('AS TILE', name === 'SQLite' ? 'AS blob' : 'AS bytea'),
  )

/** Leaves four entries, as if the others had never been written. */
export const CUT: Sql = (store) => [
  'DELETE FROM log WHERE position > 4',
  ...(store === 'SQLite' ? [] : ['UPDATE head SET position = 4']),
]

/** Puts a tree back, without its tiles. */
export const treeAs = ({ size, root, note }: Pick<StoredTree, 'size' | 'root' | 'note'>): string =>
  `UPDATE tree SET size = ${size}, root = '${root}', note = '${note}'`

export const TREE_EMPTIED = treeAs(EMPTY_TREE)

/** Swaps the halves of the first hash of each tile. A second time undoes it. */
export const SWAP_IN_TILES: Sql = [
  `UPDATE tiles SET hashes = CAST(substr(hashes, 17, 16) || substr(hashes, 1, 16) || substr(hashes, 33) AS TILE)
   WHERE level = 0`,
]

/** SQL of an attacker, the finding of a process that has seen the tree before, and that of one that has not. */
export type Attack = Readonly<{
  sql: Sql
  /** Made after the attack by the service. */
  entries?: number
  seen: string | undefined
  unseen: string | undefined
  /** What `doctor` says. Undefined if nothing can be noticed without a checkpoint. */
  doctor: RegExp | undefined
}>

const NEXT_ENTRY = 1

export const SHORTER =
  'the log has fewer entries than the 6 of its tree: entries were removed, or an old copy of the log was restored'
const NOT_THE_LAST = 'the entry at position 6 is not the one in the tree: the log was changed'
const OTHER_TILES = 'the stored tiles do not have the stored root: the tree was changed'
export const PUT_BACK =
  'the stored tree has fewer than the 6 entries that this process has seen: an older one was put back'

/** Attacks on a log of six entries that was integrated. */
export const ATTACKS: Readonly<Record<string, Attack>> = {
  'one byte of the last entry is changed': {
    sql: ["UPDATE log SET data = replace(CAST(data AS text), ':', ': ') WHERE position = 6"],
    entries: NEXT_ENTRY,
    seen: NOT_THE_LAST,
    unseen: NOT_THE_LAST,
    doctor: /the entry at position 6 is not the one in the tree/,
  },
  'one byte of an earlier entry is changed': {
    sql: ["UPDATE log SET data = replace(CAST(data AS text), ':', ': ') WHERE position = 2"],
    entries: NEXT_ENTRY,
    seen: undefined,
    unseen: undefined,
    doctor: /the entry at position 2 is not the one in the tree/,
  },
  'two entries are swapped': {
    sql: [
      'UPDATE log SET position = 99 WHERE position = 2',
      'UPDATE log SET position = 2 WHERE position = 3',
      'UPDATE log SET position = 3 WHERE position = 99',
    ],
    entries: NEXT_ENTRY,
    seen: undefined,
    unseen: undefined,
    doctor: /the entry at position 2 is not the one in the tree/,
  },
  'an entry in the middle is removed': {
    sql: ['DELETE FROM log WHERE position = 2'],
    entries: NEXT_ENTRY,
    seen: undefined,
    unseen: undefined,
    doctor: /position 2 is missing: the next entry has position 3/,
  },
  'the end of the log is removed': {
    sql: CUT,
    seen: SHORTER,
    unseen: SHORTER,
    doctor: /the log ends at position 4, before position 6/,
  },
  'the end of the log is removed, and the log grows to the same length': {
    sql: CUT,
    entries: 2,
    seen: NOT_THE_LAST,
    unseen: NOT_THE_LAST,
    doctor: /the entry at position 5 is not the one in the tree/,
  },
  'the end of the log is removed, and the log grows beyond': {
    sql: CUT,
    entries: 3,
    seen: NOT_THE_LAST,
    unseen: NOT_THE_LAST,
    doctor: /the entry at position 5 is not the one in the tree/,
  },
  'a tile is changed': {
    sql: ["UPDATE tiles SET hashes = CAST('0123456789abcdef0123456789abcdef' AS TILE) WHERE level = 0"],
    entries: NEXT_ENTRY,
    seen: 'tile/0/000.p/6 is stored without all of its hashes',
    unseen: 'tile/0/000.p/6 is stored without all of its hashes',
    doctor: /the entry at position 1 is not the one in the tree/,
  },
  'the hashes of a tile are changed': {
    sql: [`UPDATE tiles SET hashes = CAST('${'0123456789abcdef'.repeat(12)}' AS TILE) WHERE level = 0`],
    entries: NEXT_ENTRY,
    seen: OTHER_TILES,
    unseen: OTHER_TILES,
    doctor: /the entry at position 1 is not the one in the tree/,
  },
  'the tiles are removed': {
    sql: ['DELETE FROM tiles'],
    entries: NEXT_ENTRY,
    seen: 'tile/0/000.p/6 is stored without all of its hashes',
    unseen: 'tile/0/000.p/6 is stored without all of its hashes',
    doctor: /tile\/0\/000\.p\/6 is stored without all of its hashes/,
  },
  'tree and tiles are emptied': {
    sql: ['DELETE FROM tiles', TREE_EMPTIED],
    seen: PUT_BACK,
    unseen: undefined,
    doctor: undefined,
  },
  'tree and tiles are removed': {
    sql: ['DELETE FROM tiles', 'DELETE FROM tree'],
    seen: PUT_BACK,
    unseen: undefined,
    doctor: undefined,
  },
}
