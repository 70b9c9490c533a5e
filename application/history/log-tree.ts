import { isLeft, left, right } from 'fp-ts/lib/Either.js'
import type { TaskEither } from 'fp-ts/lib/TaskEither.js'
import { leafHash, type MerkleTree, merkleTree, type Sha256, type Subtree } from '../../domain/merkle-tree.ts'
import { MAX_ENTRY_BYTES } from '../../domain/tile.ts'
import { pages } from '../pages.ts'
import type { LogLines } from '../ports/log-lines.ts'
import type { Store, StoreUnavailable } from '../ports/store.ts'

/** The log is damaged: `finding` says where. */
export type DamagedLog = Readonly<{ _tag: 'DamagedLog'; finding: string }>

/** The log got another epoch meanwhile. */
export type RenewedMeanwhile = Readonly<{ _tag: 'RenewedMeanwhile' }>

export type TreeFailure = DamagedLog | RenewedMeanwhile | StoreUnavailable

/** The store of the log and its lines. */
export type VerifiableLog = Readonly<{ store: Pick<Store, 'readEpoch' | 'readEvents'>; lines: LogLines }>

/** Is told of the empty tree and the epoch, and then of each entry and the tree that ends with it. */
export type TreeObserver<Failure = never> = Readonly<{
  onBegin?: (tree: MerkleTree, epoch: string) => void
  onEntry?: (entry: Uint8Array, completed: ReadonlyArray<Subtree>, tree: MerkleTree) => void
  /** Runs after each page. A failure ends the reading. */
  afterPage?: TaskEither<Failure, void>
}>

/**
 * Builds the tree of the whole log, entry by entry, and returns it with the epoch of the log. Entries that are written meanwhile
 * may be part of it.
 */
export const readTree =
  <Failure = never>(
    { store, lines }: VerifiableLog,
    sha256: Sha256,
    { onBegin = () => {}, onEntry = () => {}, afterPage }: TreeObserver<Failure> = {},
  ): TaskEither<TreeFailure | Failure, Readonly<{ epoch: string; tree: MerkleTree }>> =>
  async () => {
    const began = await store.readEpoch()()
    if (isLeft(began)) return began
    const tree = merkleTree(sha256)
    onBegin(tree, began.right)
    const readLines = (after: number, limit: number) => lines.readLines({ after, limit })
    for await (const page of pages(readLines, 0, ({ position }) => position)) {
      if (isLeft(page)) return page
      for (const { position, bytes } of page.right) {
        const finding = findingOf(bytes, position, tree)
        if (finding !== undefined) return left({ _tag: 'DamagedLog', finding })
        onEntry(bytes, tree.append(leafHash(sha256, bytes)), tree)
      }
      const after = await afterPage?.()
      if (after !== undefined && isLeft(after)) return after
    }
    const ended = await store.readEpoch()()
    if (isLeft(ended)) return ended
    return ended.right === began.right
      ? right({ epoch: ended.right, tree })
      : left<RenewedMeanwhile>({ _tag: 'RenewedMeanwhile' })
  }

const findingOf = (entry: Uint8Array, position: number, tree: MerkleTree): string | undefined => {
  const expected = tree.size() + 1
  if (position !== expected) return `position ${expected} is missing: the next entry has position ${position}`
  if (entry.length > MAX_ENTRY_BYTES)
    return `the entry at position ${position} is longer than ${MAX_ENTRY_BYTES} bytes`
  return undefined
}
