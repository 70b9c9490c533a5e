import { type Either, isLeft, left, right } from 'fp-ts/lib/Either.js'
import { isNone, toUndefined } from 'fp-ts/lib/Option.js'
import type { TaskEither } from 'fp-ts/lib/TaskEither.js'
import type { Checkpoint } from '../../domain/checkpoint.ts'
import { leafHash, merkleTree } from '../../domain/merkle-tree.ts'
import {
  areSameBytes,
  entriesOf,
  HASH_BYTES,
  TILE_WIDTH,
  type TilePath,
  tilePath,
  tilesOf,
} from '../../domain/tile.ts'
import type { FilesUnavailable, LogFiles } from '../ports/log-files.ts'
import type { Notes } from '../ports/notes.ts'
import type { TreeDigests } from '../ports/tree-digests.ts'
import { openCheckpoint } from './open-checkpoint.ts'
import { hashTiles, type Tile } from './tiles.ts'

/**
 * Verifies an exported log without the store: the signature of its checkpoint, every entry and tile, and the root. Then it compares
 * the log with checkpoints that were kept elsewhere.
 */
export type VerifyExport = (
  files: LogFiles,
  given: Readonly<{ verifierKeys: ReadonlyArray<string>; kept: ReadonlyArray<string> }>,
) => TaskEither<WrongExport | FilesUnavailable, Checkpoint>

/** `finding` is a sentence without a full stop. */
export type WrongExport = Readonly<{ _tag: 'WrongExport'; finding: string }>

export const verifyExport =
  ({ notes, treeDigests }: Readonly<{ notes: Notes; treeDigests: TreeDigests }>): VerifyExport =>
  (files, { verifierKeys, kept }) =>
  async () => {
    const note = await files.readCheckpoint()()
    if (isLeft(note)) return note
    if (isNone(note.right)) return wrong('there is no checkpoint')
    const keysOf = (name: string) => verifierKeys.filter((key) => key.trim().startsWith(`${name}+`))
    const open = async (one: string) => toUndefined(await openCheckpoint(notes, one, keysOf))
    const checkpoint = await open(note.right.value)
    if (checkpoint === undefined) return wrong('no given verifier key has signed the checkpoint')
    const expected: Array<Checkpoint> = []
    for (const [index, one] of kept.entries()) {
      const opened = await open(one)
      if (opened === undefined) return wrong(`no given verifier key has signed kept checkpoint ${index + 1}`)
      if (opened.origin !== checkpoint.origin) return wrong(`kept checkpoint ${index + 1} is of another log`)
      if (opened.size > checkpoint.size)
        return wrong(
          `the log has ${checkpoint.size} entries, and kept checkpoint ${index + 1} covers ${opened.size}`,
        )
      expected.push(opened)
    }

    const tree = merkleTree(treeDigests.sha256)
    const collected = hashTiles()
    const findings: Array<string> = []
    const compare = (): void => {
      for (const { size, root } of [...expected, checkpoint])
        if (size === tree.size() && treeDigests.base64(tree.root()) !== root)
          findings.push(`the first ${size} entries have another root than a checkpoint of this size`)
    }
    compare()
    for (const path of tilesOf('entries', checkpoint.size)) {
      const bundle = await readTile(files, path)
      if (isLeft(bundle)) return bundle
      const entries = entriesOf(bundle.right.bytes)
      if (entries?.length !== bundle.right.width)
        return wrong(`${tilePath(path)} does not contain ${path.width} entries`)
      for (const entry of entries.slice(0, path.width)) {
        collected.add(tree.append(leafHash(treeDigests.sha256, entry)))
        compare()
      }
      const differing = await differingTile(files, collected.takeFull())
      if (isLeft(differing)) return differing
      if (findings[0] !== undefined) return wrong(findings[0])
    }
    const differing = await differingTile(files, collected.partial())
    return isLeft(differing) ? differing : right(checkpoint)
  }

const wrong = (finding: string): Either<WrongExport, never> => left({ _tag: 'WrongExport', finding })

/** Fails with the first hash tile whose file differs. The root covers the entries. */
const differingTile = async (
  files: LogFiles,
  expected: ReadonlyArray<Tile>,
): Promise<Either<WrongExport | FilesUnavailable, void>> => {
  for (const { path, bytes } of expected) {
    const file = await readTile(files, path)
    if (isLeft(file)) return file
    const { width } = file.right
    if (
      file.right.bytes.length !== width * HASH_BYTES ||
      !areSameBytes(file.right.bytes.subarray(0, bytes.length), bytes)
    )
      return wrong(`${tilePath(path)} does not contain the hashes of its entries`)
  }
  return right(undefined)
}

/** A partial tile, or the full one that replaced it: `width` says how many hashes or entries it must have. */
const readTile = async (
  files: LogFiles,
  path: TilePath,
): Promise<Either<WrongExport | FilesUnavailable, Readonly<{ bytes: Uint8Array; width: number }>>> => {
  for (const width of new Set([path.width, TILE_WIDTH])) {
    const file = await files.read(tilePath({ ...path, width }))()
    if (isLeft(file)) return file
    if (!isNone(file.right)) return right({ bytes: file.right.value, width })
  }
  return wrong(`${tilePath(path)} is missing`)
}
