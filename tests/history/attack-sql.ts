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
