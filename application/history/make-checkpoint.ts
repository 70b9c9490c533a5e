import { isLeft, left, right } from 'fp-ts/lib/Either.js'
import { isNone } from 'fp-ts/lib/Option.js'
import type { TaskEither } from 'fp-ts/lib/TaskEither.js'
import { type Checkpoint, checkpointText, originOf } from '../../domain/checkpoint.ts'
import type { MerkleTree } from '../../domain/merkle-tree.ts'
import type { Notes } from '../ports/notes.ts'
import type { TreeDigests } from '../ports/tree-digests.ts'
import { readTree, type TreeFailure, type VerifiableLog } from './log-tree.ts'

/** No key signs checkpoints. */
export type NoLogKey = Readonly<{ _tag: 'NoLogKey' }>

/** Reads the whole log, and returns a signed checkpoint of it: its size and its root. It writes nothing. */
export type MakeCheckpoint = TaskEither<
  TreeFailure | NoLogKey,
  Readonly<{ note: string; checkpoint: Checkpoint }>
>

export type CheckpointDependencies = Readonly<{
  log: VerifiableLog
  notes: Notes
  treeDigests: TreeDigests
  publicUrl: string
}>

export const makeCheckpoint =
  (dependencies: CheckpointDependencies): MakeCheckpoint =>
  async () => {
    const { log, notes, treeDigests, publicUrl } = dependencies
    if (notes.verifierKeys(publicUrl).length === 0) return left<NoLogKey>({ _tag: 'NoLogKey' }) // before reading
    const built = await readTree(log, treeDigests.sha256)()
    if (isLeft(built)) return built
    const { epoch, tree } = built.right
    const checkpoint = checkpointOf(tree, originOf(publicUrl, epoch), treeDigests)
    const note = await notes.sign(checkpointText(checkpoint), checkpoint.origin)
    return isNone(note) ? left<NoLogKey>({ _tag: 'NoLogKey' }) : right({ note: note.value, checkpoint })
  }

export const checkpointOf = (tree: MerkleTree, origin: string, { base64 }: TreeDigests): Checkpoint => ({
  origin,
  size: tree.size(),
  root: base64(tree.root()),
})
