import { type Either, isLeft, right } from 'fp-ts/lib/Either.js'
import { merkleTree } from '../../domain/merkle-tree.ts'
import { appendEntries, type DamagedLog, type Leaf } from '../log/append-entries.ts'
import { storedLeaves } from '../log/stored-tree.ts'
import { treeOf } from '../ports/log-tree.ts'
import type { StoreUnavailable } from '../ports/store.ts'
import type { CopyPart, StoreContents } from '../ports/store-copy.ts'
import type { TreeDigests } from '../ports/tree-digests.ts'
import { type CopySide, type CopySides, type SideUnavailable, sideUnavailable } from './sides.ts'

/** Source and target differ, or the log of one of them is damaged. `what` is the end of a sentence. */
export type Difference = Readonly<{ _tag: 'Different'; what: string }>

type Compared = CopySides & Readonly<{ expected: StoreContents; treeDigests: TreeDigests }>

/**
 * Compares positions, the tree, the number of items of each part, and the root over all entries, which both stores read back. Stores
 * without `LogTree` have no root to compare.
 *
 * @param expected what the target must contain
 * @param onProgress called with the number of entries that were read
 */
export const differenceOf = async (
  { source, target, expected, treeDigests }: Compared,
  onProgress: (entries: number) => void,
): Promise<Difference | SideUnavailable | undefined> => {
  const found = await target.storeCopy.readContents()()
  if (isLeft(found)) return sideUnavailable('target', found.left)
  const part = differentPart(expected, found.right)
  if (part !== undefined) return different(`both differ in ${part}`)
  const from = await rootOf(source, expected, { treeDigests, onProgress })
  if (isLeft(from)) return ofFailure('source', from.left)
  const to = await rootOf(target, expected, {
    treeDigests,
    onProgress: (entries) => onProgress(expected.last + entries),
  })
  if (isLeft(to)) return ofFailure('target', to.left)
  const isComparable = from.right !== undefined && to.right !== undefined
  return isComparable && from.right !== to.right ? different('the root hashes of the logs differ') : undefined
}

const differentPart = (expected: StoreContents, found: StoreContents): string | undefined => {
  if (found.epoch !== expected.epoch) return 'the epoch'
  if (found.last !== expected.last) return 'the last position of the log'
  const { originPrefix, size, root, note, pruned } = expected.tree
  const isSameTree =
    found.tree.originPrefix === originPrefix &&
    found.tree.size === size &&
    found.tree.root === root &&
    found.tree.note === note &&
    found.tree.pruned === pruned
  if (!isSameTree) return 'the tree'
  const parts = Object.keys(expected.items) as ReadonlyArray<CopyPart>
  const part = parts.find((one) => found.items[one] !== expected.items[one])
  return part && `the number of ${part}`
}

/** The root of the tree over all entries; undefined for a store without a tree. The hashes of pruned entries come from the tiles. */
const rootOf = async (
  { store }: CopySide,
  { last, tree: { pruned } }: StoreContents,
  { treeDigests, onProgress }: Readonly<{ treeDigests: TreeDigests; onProgress: (entries: number) => void }>,
): Promise<Either<StoreUnavailable | DamagedLog, string | undefined>> => {
  const log = treeOf(store)
  if (log === undefined) return right(undefined)
  const tree = merkleTree(treeDigests.sha256)
  const leafAt = storedLeaves(log)
  const prunedLeaf = async (position: number): Promise<Either<StoreUnavailable, Leaf | undefined>> => {
    const hash = position > pruned ? right(undefined) : await leafAt(position)
    return isLeft(hash) ? hash : right(hash.right && { hash: hash.right })
  }
  const appended = await appendEntries(tree, {
    lines: log,
    sha256: treeDigests.sha256,
    through: last,
    pruned: prunedLeaf,
    afterPage: async () => {
      onProgress(tree.size())
      return right(undefined)
    },
  })
  return isLeft(appended) ? appended : right(treeDigests.base64(tree.root()))
}

const different = (what: string): Difference => ({ _tag: 'Different', what })

const ofFailure = (
  side: SideUnavailable['side'],
  failure: StoreUnavailable | DamagedLog,
): Difference | SideUnavailable =>
  failure._tag === 'DamagedLog'
    ? different(`the log of the ${side} is damaged: ${failure.finding}`)
    : sideUnavailable(side, failure)
