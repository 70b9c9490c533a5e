import assert from 'node:assert/strict'
import { some } from 'fp-ts/lib/Option.js'
import type { ExtendTree, LogTree, TreeExtension } from '../../../application/ports/log-tree.ts'
import type { Store } from '../../../application/ports/store.ts'
import { ok } from '../outcome.ts'

export type StoreWithTree = Store & LogTree

export const HASHES = Uint8Array.from({ length: 32 }, (_, index) => index)
const MORE_HASHES = Uint8Array.from({ length: 64 }, (_, index) => 255 - index)

/** The first tree of most cases. */
export const FIRST: TreeExtension = {
  originPrefix: 'id.example.com/api/v1/log/',
  size: 1,
  root: 'the first root',
  note: 'the first note\n\n— a signature\n',
  tiles: [
    { level: 0, index: 0, hashes: HASHES },
    { level: 1, index: 7, hashes: MORE_HASHES },
  ],
}

/** A tree that replaces it, and one of its tiles. */
export const SECOND: TreeExtension = {
  ...FIRST,
  size: 2,
  root: 'the second root',
  note: '',
  tiles: [
    { level: 0, index: 0, hashes: MORE_HASHES },
    { level: 0, index: 1, hashes: HASHES },
  ],
}

/** What is stored after the first and the second. */
export const BOTH: TreeExtension = {
  ...SECOND,
  tiles: [...SECOND.tiles, ...FIRST.tiles.filter(({ level }) => level === 1)],
}

/** Extends any stored tree with this. */
export const by =
  (extension: TreeExtension): ExtendTree =>
  () =>
  async () =>
    some(extension)

/** Extends the tree, and returns the one that the store gave to the extension. */
export const treeGivenBy = async (store: LogTree): Promise<unknown> => {
  let given: unknown
  const extend: ExtendTree = (tree) => async () => {
    given = tree
    return some(SECOND)
  }
  assert.equal(await ok(store.extendTree(extend)), true)
  return given
}

/** That the store has this tree and these tiles. */
export const isStored = async (store: LogTree, { tiles, ...state }: TreeExtension): Promise<void> => {
  const { epoch, entries, pruned, ...stored } = await ok(store.readTree())
  assert.deepEqual(stored, state)
  for (const tile of tiles) assert.deepEqual(bytes(await ok(store.readTile(tile))), bytes(tile.hashes))
}

export const positions = async (store: Store): Promise<ReadonlyArray<number>> =>
  (await ok(store.readEvents({ after: 0, limit: 10 }))).map(({ position }) => position)

export const linesOf = (store: LogTree, after: number) => ok(store.readLines({ after, limit: 5 }))

/** Buffers and other byte arrays are not deeply equal. */
export const bytes = (array: Uint8Array | undefined): ReadonlyArray<number> => [...(array ?? [])]
