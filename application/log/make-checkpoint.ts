import { isLeft, left, right } from 'fp-ts/lib/Either.js'
import { isNone } from 'fp-ts/lib/Option.js'
import type { TaskEither } from 'fp-ts/lib/TaskEither.js'
import { type Checkpoint, checkpointText } from '../../domain/checkpoint.ts'
import type { LogTree } from '../ports/log-tree.ts'
import type { StoreUnavailable } from '../ports/store.ts'
import { appendEntries, type DamagedLog } from './append-entries.ts'
import { checkedTree, checkpointOf, type HistoryDependencies, originOfTree } from './stored-tree.ts'

/** No key signs checkpoints. */
export type NoLogKey = Readonly<{ _tag: 'NoLogKey' }>

/**
 * Returns a signed checkpoint of the log: its size and its root. It continues the stored tree with the entries behind it, and
 * writes nothing.
 */
export type MakeCheckpoint = TaskEither<CheckpointFailure, SignedCheckpoint>

export type CheckpointFailure = DamagedLog | StoreUnavailable | NoLogKey

export type SignedCheckpoint = Readonly<{ note: string; checkpoint: Checkpoint }>

export type CheckpointDependencies = HistoryDependencies & Readonly<{ log: LogTree }>

export const makeCheckpoint =
  (dependencies: CheckpointDependencies): MakeCheckpoint =>
  async () => {
    const { log, notes, treeDigests, publicUrl } = dependencies
    const stored = await log.readTree()()
    if (isLeft(stored)) return stored
    const origin = originOfTree(stored.right, publicUrl)
    if (notes.verifierKeys(origin).length === 0) return left<NoLogKey>({ _tag: 'NoLogKey' }) // before reading
    const checked = await checkedTree(dependencies, stored.right, log)
    if (isLeft(checked)) return checked
    const { tree } = checked.right
    const { sha256 } = treeDigests
    const appended = await appendEntries(tree, { lines: log, sha256, through: stored.right.entries })
    if (isLeft(appended)) return appended
    const checkpoint = checkpointOf(tree, origin, treeDigests)
    const note = await notes.sign(checkpointText(checkpoint), origin)
    return isNone(note) ? left<NoLogKey>({ _tag: 'NoLogKey' }) : right({ note: note.value, checkpoint })
  }
