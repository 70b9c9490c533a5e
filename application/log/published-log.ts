import { type Either, isLeft, left, right } from 'fp-ts/lib/Either.js'
import { none, type Option, some } from 'fp-ts/lib/Option.js'
import type { TaskEither } from 'fp-ts/lib/TaskEither.js'
import { entryBundle, HASH_BYTES, TILE_WIDTH, type TilePath } from '../../domain/tile.ts'
import type { LogTree } from '../ports/log-tree.ts'
import type { StoreUnavailable } from '../ports/store.ts'
import { isOfThisEpoch } from './stored-tree.ts'

/** The signed log as others fetch it (C2SP tlog-tiles). */
export interface PublishedLog {
  /** The newest signed checkpoint as a signed note; none while there is none. */
  readonly checkpoint: TaskEither<StoreUnavailable, Option<string>>
  /** The content of a tile of the published tree; none beyond its size. */
  tile(path: TilePath): TaskEither<StoreUnavailable | BundlePruned, Option<Uint8Array>>
}

/** The bundle contains an entry that was pruned. Entries up to this position may be. */
export type BundlePruned = Readonly<{ _tag: 'BundlePruned'; through: number }>

export const publishedLog = ({
  log,
  publicUrl,
}: Readonly<{ log: LogTree; publicUrl: string }>): PublishedLog => {
  const hashes = async (level: number, { index, width }: TilePath) => {
    const tile = await log.readTile({ level, index })()
    if (isLeft(tile)) return tile
    const bytes = width * HASH_BYTES
    return right(tile.right.length < bytes ? none : some(tile.right.subarray(0, bytes)))
  }

  /** The entries below a tile of level 0, which says whether they are part of the tree. */
  const bundle = async (
    path: TilePath,
  ): Promise<Either<StoreUnavailable | BundlePruned, Option<Uint8Array>>> => {
    const tile = await hashes(0, path)
    if (isLeft(tile) || tile.right._tag === 'None') return tile
    const after = path.index * TILE_WIDTH
    const lines = await log.readLines({ after, limit: path.width })()
    if (isLeft(lines)) return lines
    // Caches would keep a bundle without some of its entries for ever.
    const missing = lines.right.findIndex(({ position }, index) => position !== after + index + 1)
    if (missing < 0 && lines.right.length === path.width)
      return right(some(entryBundle(lines.right.map(({ bytes }) => bytes))))
    const stored = await log.readTree()()
    if (isLeft(stored)) return stored
    const { pruned } = stored.right
    const position = after + (missing < 0 ? lines.right.length : missing) + 1
    return position <= pruned ? left({ _tag: 'BundlePruned', through: pruned }) : right(none)
  }

  return {
    checkpoint: async () => {
      const stored = await log.readTree()()
      if (isLeft(stored)) return stored
      const { note } = stored.right
      // The checkpoint of an earlier epoch is one of another log.
      return right(isOfThisEpoch(stored.right, publicUrl) ? some(note) : none)
    },
    tile: (path) => () => (path.level === 'entries' ? bundle(path) : hashes(path.level, path)),
  }
}
