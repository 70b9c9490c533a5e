import { type Either, isLeft, left, right } from 'fp-ts/lib/Either.js'
import { isNone, isSome } from 'fp-ts/lib/Option.js'
import type { TaskEither } from 'fp-ts/lib/TaskEither.js'
import type { Checkpoint } from '../../domain/checkpoint.ts'
import { leafHash } from '../../domain/merkle-tree.ts'
import { entriesOf, TILE_WIDTH, tilePath } from '../../domain/tile.ts'
import type { FilesUnavailable, WritableLogFiles } from '../ports/log-files.ts'
import type { StoreUnavailable } from '../ports/store.ts'
import { appendEntries, damaged, type Leaf } from './append-entries.ts'
import { type CheckpointDependencies, type CheckpointFailure, makeCheckpoint } from './make-checkpoint.ts'
import { openCheckpoint } from './open-checkpoint.ts'
import { storedLeaves, treeAt } from './stored-tree.ts'
import { entryBundles, hashTiles, type Tile } from './tiles.ts'

/**
 * Writes the log as files of C2SP tlog-tiles, which every web server can publish and others can verify. A repetition reads and writes
 * only what is new. The checkpoint comes last, so that the files always contain what the checkpoint covers. Several exports may
 * run at once.
 */
export type ExportLog = (files: WritableLogFiles) => TaskEither<ExportFailure, Exported>

export type Exported = Readonly<{ checkpoint: Checkpoint; written: number }>

export type ExportFailure = CheckpointFailure | FilesUnavailable | OtherExport | PrunedBundle

/** The files contain a log that this log does not continue: `checkpoint` is theirs, if a key of the service signed it. */
export type OtherExport = Readonly<{ _tag: 'OtherExport'; checkpoint: Checkpoint | undefined }>

/** A bundle contains a pruned entry, and the files do not have it. Entries up to `through` may be pruned. */
export type PrunedBundle = Readonly<{ _tag: 'PrunedBundle'; through: number }>

export const exportLog =
  (dependencies: CheckpointDependencies): ExportLog =>
  (files) =>
  async () => {
    const { log, treeDigests } = dependencies
    const { sha256, base64 } = treeDigests
    const before = await exportedBefore(dependencies, files) // first: meanwhile, another export may end with a larger checkpoint
    const signed = await makeCheckpoint(dependencies)()
    if (isLeft(signed)) return signed
    const { note, checkpoint } = signed.right
    if (isLeft(before)) return before
    const known = before.right
    const isOther =
      known !== undefined && (known.origin !== checkpoint.origin || known.size > checkpoint.size)
    if (isOther) return left<OtherExport>({ _tag: 'OtherExport', checkpoint: known })
    const begin = await beginningAt(dependencies, known?.size ?? 0)
    if (isLeft(begin)) return begin
    const { tree, edge } = begin.right
    const hashes = hashTiles(edge, tree.size())
    const bundles = entryBundles(tree.size() / TILE_WIDTH)
    let continues = known === undefined
    let written = 0

    const compare = (): void => {
      if (tree.size() === known?.size) continues = base64(tree.root()) === known.root
    }
    const write = async (
      some: ReadonlyArray<Tile>,
    ): Promise<Either<FilesUnavailable | OtherExport, void>> => {
      for (const tile of some) {
        if (isExported(tile, known)) continue
        // Nothing is written before the log has proved to continue the files.
        if (!continues) return left({ _tag: 'OtherExport', checkpoint: known })
        const outcome = await files.write(tilePath(tile.path), tile.bytes)()
        if (isLeft(outcome)) return outcome
        written += 1
      }
      return right(undefined)
    }

    compare()
    const appended = await appendEntries<FilesUnavailable | OtherExport | PrunedBundle>(tree, {
      lines: log,
      sha256,
      through: checkpoint.size,
      pruned: exportedLeaves(dependencies, files),
      onEntry: ({ entry = NOTHING }, completed) => {
        bundles.add(entry)
        hashes.add(completed)
        compare()
      },
      afterPage: () => write([...bundles.takeFull(), ...hashes.takeFull()]),
    })
    if (isLeft(appended)) return appended
    if (!continues) return left({ _tag: 'OtherExport', checkpoint: known })
    if (base64(tree.root()) !== checkpoint.root)
      return damaged('its entries do not have the root of its tree: the log was changed')
    const rest = await write([...bundles.partial(), ...hashes.partial()])
    if (isLeft(rest)) return rest
    // Another export may have ended meanwhile. The files then contain what the larger checkpoint covers.
    const meanwhile = await exportedBefore(dependencies, files)
    if (isLeft(meanwhile)) return meanwhile
    const other = meanwhile.right
    if (other !== undefined && other.origin !== checkpoint.origin)
      return left<OtherExport>({ _tag: 'OtherExport', checkpoint: other })
    if (other !== undefined && other.size > checkpoint.size) return right({ checkpoint, written })
    const last = await files.writeCheckpoint(note)()
    return isLeft(last) ? last : right({ checkpoint, written })
  }

/** The tree at the last full bundle that was exported, if the stored tree reaches that far. */
const beginningAt = async ({ log, treeDigests }: CheckpointDependencies, exported: number) => {
  const stored = await log.readTree()()
  if (isLeft(stored)) return stored
  const size = exported - (exported % TILE_WIDTH)
  return treeAt(log, size <= stored.right.size ? size : 0, treeDigests)
}

/** A pruned entry is still in the files of an earlier export. Its hash in the tree proves that it is the same. */
const exportedLeaves = (
  { log, treeDigests: { sha256, base64 } }: CheckpointDependencies,
  files: WritableLogFiles,
) => {
  const leafAt = storedLeaves(log)
  let through = 0
  let known: Readonly<{ index: number; entries: ReadonlyArray<Uint8Array> }> | undefined

  return async (
    position: number,
  ): Promise<Either<StoreUnavailable | FilesUnavailable | PrunedBundle, Leaf | undefined>> => {
    if (position > through) {
      const stored = await log.readTree()()
      if (isLeft(stored)) return stored
      through = stored.right.pruned
    }
    if (position > through) return right(undefined)
    const hash = await leafAt(position)
    if (isLeft(hash)) return hash
    const index = Math.floor((position - 1) / TILE_WIDTH)
    if (known?.index !== index) {
      const entries = await widestBundle(files, index)
      if (isLeft(entries)) return entries
      known = { index, entries: entries.right }
    }
    const entry = known.entries[position - 1 - index * TILE_WIDTH]
    const isSame =
      entry !== undefined &&
      hash.right !== undefined &&
      base64(leafHash(sha256, entry)) === base64(hash.right)
    return isSame ? right({ hash: hash.right, entry }) : left({ _tag: 'PrunedBundle', through })
  }
}

/** The entries of the widest bundle at an index that the files have; none without one. */
const widestBundle = async (
  files: WritableLogFiles,
  index: number,
): Promise<Either<FilesUnavailable, ReadonlyArray<Uint8Array>>> => {
  for (let width = TILE_WIDTH; width > 0; width -= 1) {
    const bundle = await files.read(tilePath({ level: 'entries', index, width }))()
    if (isLeft(bundle)) return bundle
    if (isSome(bundle.right)) return right(entriesOf(bundle.right.value) ?? [])
  }
  return right([])
}

const NOTHING = new Uint8Array()

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
