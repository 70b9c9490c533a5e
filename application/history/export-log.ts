import { type Either, isLeft, left, right } from 'fp-ts/lib/Either.js'
import { isNone, isSome } from 'fp-ts/lib/Option.js'
import type { TaskEither } from 'fp-ts/lib/TaskEither.js'
import { type Checkpoint, checkpointText, originOf } from '../../domain/checkpoint.ts'
import type { MerkleTree } from '../../domain/merkle-tree.ts'
import { TILE_WIDTH, tilePath } from '../../domain/tile.ts'
import type { FilesUnavailable, WritableLogFiles } from '../ports/log-files.ts'
import { readTree, type TreeFailure } from './log-tree.ts'
import { type CheckpointDependencies, checkpointOf, type NoLogKey } from './make-checkpoint.ts'
import { openCheckpoint } from './open-checkpoint.ts'
import { type Tile, tiles } from './tiles.ts'

/**
 * Writes the log as files of C2SP tlog-tiles, which every web server can publish and others can verify. A repetition writes only
 * what is new. The checkpoint comes last, so that the files always contain what the checkpoint covers.
 */
export type ExportLog = (files: WritableLogFiles) => TaskEither<ExportFailure, Exported>

export type Exported = Readonly<{ checkpoint: Checkpoint; written: number }>

export type ExportFailure = TreeFailure | NoLogKey | FilesUnavailable | OtherExport

/** The files contain a log that this log does not continue: `checkpoint` is theirs, if a key of the service signed it. */
export type OtherExport = Readonly<{ _tag: 'OtherExport'; checkpoint: Checkpoint | undefined }>

export const exportLog =
  (dependencies: CheckpointDependencies): ExportLog =>
  (files) =>
  async () => {
    const { log, notes, treeDigests, publicUrl } = dependencies
    if (notes.verifierKeys(publicUrl).length === 0) return left<NoLogKey>({ _tag: 'NoLogKey' })
    const before = await exportedBefore(dependencies, files)
    if (isLeft(before)) return before
    const known = before.right
    const collected = tiles()
    let written = 0
    let isSameLog = known === undefined
    let continues = known === undefined

    const write = async (
      some: ReadonlyArray<Tile>,
    ): Promise<Either<FilesUnavailable | OtherExport, void>> => {
      for (const tile of some) {
        if (isExported(tile, known)) continue
        // Nothing is written before the log has proved to continue the files.
        if (!isSameLog || !continues) return left({ _tag: 'OtherExport', checkpoint: known })
        const outcome = await files.write(tilePath(tile.path), tile.bytes)()
        if (isLeft(outcome)) return outcome
        written += 1
      }
      return right(undefined)
    }

    const compare = (tree: MerkleTree): void => {
      if (tree.size() === known?.size) continues = treeDigests.base64(tree.root()) === known.root
    }

    const built = await readTree<FilesUnavailable | OtherExport>(log, treeDigests.sha256, {
      onBegin: (tree, epoch) => {
        isSameLog ||= known?.origin === originOf(publicUrl, epoch)
        compare(tree)
      },
      onEntry: (entry, completed, tree) => {
        collected.add(entry, completed)
        compare(tree)
      },
      afterPage: () => write(collected.takeFull()),
    })()
    if (isLeft(built)) return built
    const { epoch, tree } = built.right
    const checkpoint = checkpointOf(tree, originOf(publicUrl, epoch), treeDigests)
    if (!isSameLog || !continues) return left({ _tag: 'OtherExport', checkpoint: known })
    const rest = await write(collected.partial())
    if (isLeft(rest)) return rest
    const note = await notes.sign(checkpointText(checkpoint), checkpoint.origin)
    if (isNone(note)) return left<NoLogKey>({ _tag: 'NoLogKey' })
    const last = await files.writeCheckpoint(note.value)()
    return isLeft(last) ? last : right({ checkpoint, written })
  }

/** The checkpoint of an earlier export; undefined if there is none. */
const exportedBefore = async (
  { notes }: CheckpointDependencies,
  files: WritableLogFiles,
): Promise<Either<FilesUnavailable | OtherExport, Checkpoint | undefined>> => {
  const file = await files.readCheckpoint()()
  if (isLeft(file)) return file
  if (isNone(file.right)) return right(undefined)
  const checkpoint = await openCheckpoint(notes, file.right.value, notes.verifierKeys)
  return isSome(checkpoint) ? right(checkpoint.value) : left({ _tag: 'OtherExport', checkpoint: undefined })
}

/** Whether all of a tile was part of the earlier export. */
const isExported = ({ path: { level, index, width } }: Tile, known: Checkpoint | undefined): boolean => {
  const entriesEach = level === 'entries' ? 1 : TILE_WIDTH ** level
  return (index * TILE_WIDTH + width) * entriesEach <= (known?.size ?? 0)
}
