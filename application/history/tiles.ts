import { joined } from '../../domain/bytes.ts'
import type { Subtree } from '../../domain/merkle-tree.ts'
import { entryBundle, TILE_HEIGHT, TILE_WIDTH, type TilePath } from '../../domain/tile.ts'

/** A tile and its content. */
export type Tile = Readonly<{ path: TilePath; bytes: Uint8Array }>

/** Collects the tiles of a growing tree. */
export type Tiles = Readonly<{
  add(entry: Uint8Array, completed: ReadonlyArray<Subtree>): void
  /** Removes and returns the tiles that are full. */
  takeFull(): ReadonlyArray<Tile>
  /** Returns the tiles at the end of the tree that are not full. */
  partial(): ReadonlyArray<Tile>
}>

export const tiles = (): Tiles => {
  const levels: Array<Level> = []
  const entries: Level = newLevel('entries', entryBundle)

  const add = (level: Level, item: Uint8Array): void => {
    level.items.push(item)
    if (level.items.length < TILE_WIDTH) return
    level.full.push(tileOf(level))
    level.items.length = 0
    level.index += 1
  }

  const all = () => [entries, ...levels]

  return {
    add: (entry, completed) => {
      add(entries, entry)
      for (const { level, hash } of completed) {
        if (level % TILE_HEIGHT !== 0) continue
        const number = level / TILE_HEIGHT
        levels[number] ??= newLevel(number, joined)
        add(levels[number], hash)
      }
    },
    takeFull: () => all().flatMap(({ full }) => full.splice(0)),
    partial: () =>
      all()
        .filter(({ items }) => items.length > 0)
        .map(tileOf),
  }
}

type Level = {
  readonly level: TilePath['level']
  readonly encode: (items: ReadonlyArray<Uint8Array>) => Uint8Array
  readonly full: Array<Tile>
  /** Of the tile that is not full yet. */
  readonly items: Array<Uint8Array>
  index: number
}

const newLevel = (level: Level['level'], encode: Level['encode']): Level => ({
  level,
  encode,
  full: [],
  items: [],
  index: 0,
})

const tileOf = ({ level, encode, items, index }: Level): Tile => ({
  path: { level, index, width: items.length },
  bytes: encode(items),
})
