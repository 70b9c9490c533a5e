import { isLeft, right } from 'fp-ts/lib/Either.js'
import { toUndefined } from 'fp-ts/lib/Option.js'
import type { TaskEither } from 'fp-ts/lib/TaskEither.js'
import { type Checkpoint, epochOf } from '../../domain/checkpoint.ts'
import type { MerkleTree } from '../../domain/merkle-tree.ts'
import { eventPages } from '../pages.ts'
import type { StoreUnavailable } from '../ports/store.ts'
import { readTree, type TreeFailure } from './log-tree.ts'
import type { CheckpointDependencies } from './make-checkpoint.ts'
import { openCheckpoint } from './open-checkpoint.ts'

/**
 * Compares the log with checkpoints that were kept elsewhere. Each must be signed by a key of the service, and its root must be the
 * root of as many entries of the log. Without a difference, these entries were not changed, cut, moved or extended in the
 * middle since then.
 */
export type VerifyLog = (
  notes: ReadonlyArray<string>,
) => TaskEither<TreeFailure, Readonly<{ size: number; verdicts: ReadonlyArray<Verdict> }>>

/** What a kept checkpoint says about the log, in the order of the notes. */
export type Verdict =
  | Readonly<{ _tag: 'Same'; checkpoint: Checkpoint }>
  | Readonly<{ _tag: 'NotSigned' }>
  | Readonly<{ _tag: 'OtherLog'; checkpoint: Checkpoint }>
  | Readonly<{ _tag: 'Shorter'; checkpoint: Checkpoint; shared: number }>
  | Readonly<{ _tag: 'Different'; checkpoint: Checkpoint }>

export const verifyLog =
  (dependencies: CheckpointDependencies): VerifyLog =>
  (notes) =>
  async () => {
    const { log, treeDigests, notes: signing } = dependencies
    const opened = notes.map((note) => openCheckpoint(signing, note, signing.verifierKeys))
    const kept = (await Promise.all(opened)).map(toUndefined)
    const roots = new Map<number, string>(kept.flatMap((one) => (one === undefined ? [] : [[one.size, '']])))
    const note = (tree: MerkleTree) => {
      if (roots.has(tree.size())) roots.set(tree.size(), treeDigests.base64(tree.root()))
    }
    const built = await readTree(log, treeDigests.sha256, {
      onBegin: note,
      onEntry: (_entry, _completed, tree) => note(tree),
    })()
    if (isLeft(built)) return built
    const { epoch, tree } = built.right
    const ends = await sizesAtEnds(dependencies)()
    if (isLeft(ends)) return ends
    const shared = ends.right.set(epoch, tree.size())
    const verdicts = kept.map((one) => verdictOf(one, roots, shared))
    return right({ size: tree.size(), verdicts })
  }

const verdictOf = (
  checkpoint: Checkpoint | undefined,
  roots: ReadonlyMap<number, string>,
  shared: ReadonlyMap<string, number>,
): Verdict => {
  if (checkpoint === undefined) return { _tag: 'NotSigned' }
  const size = shared.get(epochOf(checkpoint.origin))
  if (size === undefined) return { _tag: 'OtherLog', checkpoint }
  if (checkpoint.size > size) return { _tag: 'Shorter', checkpoint, shared: size }
  return { _tag: roots.get(checkpoint.size) === checkpoint.root ? 'Same' : 'Different', checkpoint }
}

/** The number of entries at the end of each earlier epoch. */
const sizesAtEnds =
  ({ log: { store } }: CheckpointDependencies): TaskEither<StoreUnavailable, Map<string, number>> =>
  async () => {
    const sizes = new Map<string, number>()
    for await (const page of eventPages(store, { after: 0, type: 'LogRenewed' })) {
      if (isLeft(page)) return page
      for (const entry of page.right)
        if (entry.type === 'LogRenewed') sizes.set(entry.data.previous_origin, entry.data.size)
    }
    return right(sizes)
  }
