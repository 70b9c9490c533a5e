import { type Either, isLeft, right } from 'fp-ts/lib/Either.js'
import { none, type Option, some } from 'fp-ts/lib/Option.js'
import type { TaskEither } from 'fp-ts/lib/TaskEither.js'
import { entryBundle, HASH_BYTES, TILE_WIDTH, type TilePath } from '../../domain/tile.ts'
import type { LogTree } from '../ports/log-tree.ts'
import type { StoreUnavailable } from '../ports/store.ts'
import { isOfThisEpoch } from './stored-tree.ts'

/** The signed log as others fetch it (C2SP tlog-tiles). */
export type PublishedLog = Readonly<{
  /** The newest signed checkpoint as a signed note; none while there is none. */
  checkpoint: TaskEither<StoreUnavailable, Option<string>>
  /** The content of a tile of the published tree; none beyond its size. */
  tile(path: TilePath): TaskEither<StoreUnavailable, Option<Uint8Array>>
}>

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
  const bundle = async (path: TilePath): Promise<Either<StoreUnavailable, Option<Uint8Array>>> => {
    const tile = await hashes(0, path)
    if (isLeft(tile) || tile.right._tag === 'None') return tile
    const lines = await log.readLines({ after: path.index * TILE_WIDTH, limit: path.width })()
    if (isLeft(lines)) return lines
    // Caches would keep a bundle without some of its entries for ever.
    const isWhole =
      lines.right.length === path.width &&
      lines.right.at(-1)?.position === path.index * TILE_WIDTH + path.width
    return right(isWhole ? some(entryBundle(lines.right.map(({ bytes }) => bytes))) : none)
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
