import { EMPTY_TREE, type StoredTree } from '../../application/ports/log-tree.ts'

/** Statements of an attacker, perhaps different ones for each store. */
export type Sql = ReadonlyArray<string> | ((store: string) => ReadonlyArray<string>)

/** Leaves four entries, as if the others had never been written. */
export const CUT: Sql = (store) => [
  'DELETE FROM log WHERE position > 4',
  ...(store === 'SQLite' ? [] : ['UPDATE head SET position = 4']),
]

/** Puts a tree back, without its tiles. */
export const treeAs = ({ size, root, note }: Pick<StoredTree, 'size' | 'root' | 'note'>): string =>
  `UPDATE tree SET size = ${size}, root = '${root}', note = '${note}'`

export const TREE_EMPTIED = treeAs(EMPTY_TREE)
