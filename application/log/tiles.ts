import type { Subtree } from '../../domain/merkle-tree.ts'
import { entryBundle, hashesOf, joined, TILE_HEIGHT, TILE_WIDTH, type TilePath } from '../../domain/tile.ts'
import type { StoredTile } from '../ports/log-tree.ts'

/** A tile and its content. */
export type Tile<Path extends TilePath = TilePath> = Readonly<{ path: Path; bytes: Uint8Array }>

/** Collects tiles of a growing tree. */
export type Tiles<Item, Path extends TilePath> = Readonly<{
  add(item: Item): void
  /** Removes and returns the tiles that are full. */
  takeFull(): ReadonlyArray<Tile<Path>>
  /** Returns the tiles at the end of the tree that are not full. */
  partial(): ReadonlyArray<Tile<Path>>
}>

type HashTile = TilePath & Readonly<{ level: number }>

/**
 * Collects the hash tiles that a tree gets. It is told of the subtrees that each entry completes.
 *
 * @param edge the hash tiles at the right edge of the tree in the beginning
 */
export const hashTiles = (
  edge: ReadonlyArray<StoredTile> = [],
  size = 0,
): Tiles<ReadonlyArray<Subtree>, HashTile> => {
  const levels: Array<Tiles<Uint8Array, HashTile>> = []
  const levelOf = (level: number) => {
    const begin = edge.find((tile) => tile.level === level)
    const index = Math.floor(size / TILE_WIDTH ** (level + 1))
    levels[level] ??= tilesOf({ level, index, encode: joined, items: hashesOf(begin?.hashes ?? NOTHING) })
    return levels[level]
  }

  return {
    add: (completed) => {
      for (const { level, hash } of completed)
        if (level % TILE_HEIGHT === 0) levelOf(level / TILE_HEIGHT).add(hash)
    },
    takeFull: () => levels.flatMap((level) => level.takeFull()),
    partial: () => levels.flatMap((level) => level.partial()),
  }
}

const NOTHING = new Uint8Array()

/** @param index the first bundle */
export const entryBundles = (index = 0): Tiles<Uint8Array, TilePath> =>
  tilesOf<'entries'>({ level: 'entries', index, encode: entryBundle, items: [] })

const tilesOf = <Level extends TilePath['level']>(begin: {
  level: Level
  index: number
  encode: (items: ReadonlyArray<Uint8Array>) => Uint8Array
  items: ReadonlyArray<Uint8Array>
}): Tiles<Uint8Array, TilePath & Readonly<{ level: Level }>> => {
  const { level, encode } = begin
  const full: Array<Tile<TilePath & Readonly<{ level: Level }>>> = []
  const items = [...begin.items] // of the tile that is not full yet
  let { index } = begin
  const current = () => ({ path: { level, index, width: items.length }, bytes: encode(items) })

  return {
    add: (item) => {
      items.push(item)
      if (items.length < TILE_WIDTH) return
      full.push(current())
      items.length = 0
      index += 1
    },
    takeFull: () => full.splice(0),
    partial: () => (items.length === 0 ? [] : [current()]),
  }
}
