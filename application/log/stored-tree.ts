import { type Either, isLeft, right } from 'fp-ts/lib/Either.js'
import { isNone } from 'fp-ts/lib/Option.js'
import { type Checkpoint, originOf, originPrefixOf } from '../../domain/checkpoint.ts'
import { leafHash, type MerkleTree, merkleTree, type Subtree } from '../../domain/merkle-tree.ts'
import { edgeTiles, HASH_BYTES, hashesOf, TILE_HEIGHT, TILE_WIDTH, tilePath } from '../../domain/tile.ts'
import type { StoredTile, StoredTree, TreeReads } from '../ports/log-tree.ts'
import type { Notes } from '../ports/notes.ts'
import type { StoreUnavailable } from '../ports/store.ts'
import type { TreeDigests } from '../ports/tree-digests.ts'
import { type DamagedLog, damaged } from './append-entries.ts'
import { openCheckpoint } from './open-checkpoint.ts'

/** What every use case of the history is made with. */
export type HistoryDependencies = Readonly<{
  notes: Notes
  treeDigests: TreeDigests
  /** Names the log until its tree is stored for the first time. */
  publicUrl: string
}>

/** A tree, and the hash tiles at its right edge. */
export type TreeAt = Readonly<{ tree: MerkleTree; edge: ReadonlyArray<StoredTile> }>

/** The origin of a stored tree. The public URL counts until the tree has its own prefix. */
export const originOfTree = ({ originPrefix, epoch }: StoredTree, publicUrl: string): string =>
  originOf(prefixOfTree({ originPrefix }, publicUrl), epoch)

/** Whether the stored checkpoint names the current epoch. Its signature is not checked. */
export const isOfThisEpoch = (stored: StoredTree, publicUrl: string): boolean =>
  stored.note.startsWith(`${originOfTree(stored, publicUrl)}\n`)

export const prefixOfTree = (
  { originPrefix }: Pick<StoredTree, 'originPrefix'>,
  publicUrl: string,
): string => (originPrefix === '' ? originPrefixOf(publicUrl) : originPrefix)

/** Returns the checkpoint that states the size and the root of a tree. */
export const checkpointOf = (tree: MerkleTree, origin: string, { base64 }: TreeDigests): Checkpoint => ({
  origin,
  size: tree.size(),
  root: base64(tree.root()),
})

/** Returns the tree of the first `size` entries, made of the stored tiles. */
export const treeAt = async (
  reads: Pick<TreeReads, 'readTile'>,
  size: number,
  { sha256 }: TreeDigests,
): Promise<Either<StoreUnavailable | DamagedLog, TreeAt>> => {
  const subtrees: Array<Subtree> = []
  const edge: Array<StoredTile> = []
  for (const path of edgeTiles(size)) {
    const { level, index, width } = path
    const tile = await reads.readTile(path)()
    if (isLeft(tile)) return tile
    if (tile.right.length < width * HASH_BYTES)
      return damaged(`${tilePath(path)} is stored without all of its hashes`)
    const hashes = tile.right.subarray(0, width * HASH_BYTES)
    edge.push({ level, index, hashes })
    for (const [at, hash] of hashesOf(hashes).entries())
      subtrees.push({ level: level * TILE_HEIGHT, index: index * TILE_WIDTH + at, hash })
  }
  return right({ tree: merkleTree(sha256, subtrees), edge })
}

/** Returns the hash of each entry in the stored tree, by its position; undefined for one that is not there. It keeps the last tile. */
export const storedLeaves = ({ readTile }: Pick<TreeReads, 'readTile'>) => {
  let known: Readonly<{ index: number; hashes: ReadonlyArray<Uint8Array> }> | undefined

  return async (position: number): Promise<Either<StoreUnavailable, Uint8Array | undefined>> => {
    const index = Math.floor((position - 1) / TILE_WIDTH)
    if (known?.index !== index) {
      const tile = await readTile({ level: 0, index })()
      if (isLeft(tile)) return tile
      known = { index, hashes: hashesOf(tile.right) }
    }
    return right(known.hashes[position - 1 - index * TILE_WIDTH])
  }
}

/**
 * Returns the stored tree after the checks before each signature:
 *
 * - The log has every entry of the tree, and the last of them still has its hash there.
 * - The tiles have the stored root.
 * - A key of the service has signed the stored checkpoint, and the tiles have its root at its size.
 */
export const checkedTree = async (
  dependencies: HistoryDependencies,
  stored: StoredTree,
  reads: TreeReads,
): Promise<Either<StoreUnavailable | DamagedLog, TreeAt>> => {
  const { treeDigests } = dependencies
  const { size, entries, root } = stored
  if (entries < size)
    return damaged(
      `the log has fewer entries than the ${size} of its tree: entries were removed, or an old copy of the log was restored`,
    )
  const at = await treeAt(reads, size, treeDigests)
  if (isLeft(at)) return at
  if (treeDigests.base64(at.right.tree.root()) !== root)
    return damaged('the stored tiles do not have the stored root: the tree was changed')
  const signed = await checkNote(dependencies, stored, reads)
  if (isLeft(signed)) return signed
  const last = await checkLastEntry(dependencies, stored, reads)
  return isLeft(last) ? last : at
}

/** A checkpoint of an earlier epoch is not judged: the log was renewed, and gets another one. */
const checkNote = async (
  { notes, treeDigests, publicUrl }: HistoryDependencies,
  stored: StoredTree,
  reads: TreeReads,
): Promise<Either<StoreUnavailable | DamagedLog, void>> => {
  const { note, size } = stored
  const origin = originOfTree(stored, publicUrl)
  if (!isOfThisEpoch(stored, publicUrl) || notes.verifierKeys(origin).length === 0) return right(undefined)
  const opened = await openCheckpoint(notes, note, notes.verifierKeys)
  if (isNone(opened))
    return damaged(
      'no key of EVENT_LOG_KEY has signed the stored checkpoint: list the key that did beside the new one, or renew the log (events renew)',
    )
  const signed = opened.value
  if (signed.size > size)
    return damaged(`the stored checkpoint covers ${signed.size} entries, and the tree has ${size}`)
  // The tiles have the stored root, which was compared before.
  const at = signed.size === size ? undefined : await treeAt(reads, signed.size, treeDigests)
  if (at !== undefined && isLeft(at)) return at
  const root = at === undefined ? stored.root : treeDigests.base64(at.right.tree.root())
  return root === signed.root
    ? right(undefined)
    : damaged('the stored tiles do not have the root of the stored checkpoint: the tree was changed')
}

/** The tree before the last entry, and that entry, must have the stored root together. */
const checkLastEntry = async (
  { treeDigests }: HistoryDependencies,
  { size, root }: StoredTree,
  reads: TreeReads,
): Promise<Either<StoreUnavailable | DamagedLog, void>> => {
  if (size === 0) return right(undefined)
  const before = await treeAt(reads, size - 1, treeDigests)
  if (isLeft(before)) return before
  const lines = await reads.readLines({ after: size - 1, limit: 1 })()
  if (isLeft(lines)) return lines
  const [line] = lines.right
  const { tree } = before.right
  if (line?.position === size) tree.append(leafHash(treeDigests.sha256, line.bytes))
  return treeDigests.base64(tree.root()) === root
    ? right(undefined)
    : damaged(`the entry at position ${size} is not the one in the tree: the log was changed`)
}
