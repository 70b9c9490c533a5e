import { type Either, isLeft, left, right } from 'fp-ts/lib/Either.js'
import type { TaskEither } from 'fp-ts/lib/TaskEither.js'
import { leafHash, type MerkleTree, type Sha256, type Subtree } from '../../domain/merkle-tree.ts'
import { MAX_ENTRY_BYTES } from '../../domain/tile.ts'
import type { LogLines } from '../ports/log-lines.ts'
import type { StoreUnavailable } from '../ports/store.ts'
import { pages } from '../recording/pages.ts'

/** The log or its tree is damaged: `finding` says where. It is a sentence without a full stop. */
export type DamagedLog = Readonly<{ _tag: 'DamagedLog'; finding: string }>

export const damaged = (finding: string): Either<DamagedLog, never> => left({ _tag: 'DamagedLog', finding })

/** What stands for an entry in the tree. */
export type Leaf = Readonly<{ hash: Uint8Array; entry?: Uint8Array }>

type Appending<Failure> = Readonly<{
  lines: Pick<LogLines, 'readLines'>
  sha256: Sha256
  /** The last position to add. */
  through: number
  /** The number of entries in each read. */
  page?: number
  /** Returns what stands for a missing entry, if it may be missing. */
  pruned?: (position: number) => Promise<Either<StoreUnavailable | DamagedLog | Failure, Leaf | undefined>>
  /** Is called after each entry with the subtrees that it completes. */
  onEntry?: (leaf: Leaf, completed: ReadonlyArray<Subtree>) => void
  /** Runs after each page. A failure ends the reading. */
  afterPage?: TaskEither<Failure, void>
}>

/** Adds the entries of the log behind the end of a tree, and fails at the first that is missing and may not be. */
export const appendEntries = async <Failure = never>(
  tree: MerkleTree,
  {
    lines,
    sha256,
    through,
    page,
    pruned = async () => right(undefined),
    onEntry = () => {},
    afterPage = async () => right(undefined),
  }: Appending<Failure>,
): Promise<Either<StoreUnavailable | DamagedLog | Failure, void>> => {
  const append = (leaf: Leaf): void => onEntry(leaf, tree.append(leaf.hash))

  /** Adds what stands for the missing entries before a position. */
  const appendPruned = async (
    position: number,
  ): Promise<Either<StoreUnavailable | DamagedLog | Failure, void>> => {
    while (tree.size() + 1 < position) {
      const missing = tree.size() + 1
      const leaf = await pruned(missing)
      if (isLeft(leaf)) return leaf
      if (leaf.right === undefined)
        return damaged(`position ${missing} is missing: the next entry has position ${position}`)
      append(leaf.right)
      const after = tree.size() % PRUNED_PER_PAGE === 0 ? await afterPage() : right(undefined)
      if (isLeft(after)) return after
    }
    return right(undefined)
  }

  const read = (after: number, limit: number) =>
    lines.readLines({ after, limit: Math.min(limit, through - after) })
  for await (const lot of pages(read, tree.size(), ({ position }) => position, page)) {
    if (isLeft(lot)) return lot
    for (const { position, bytes } of lot.right) {
      const isMissing = tree.size() + 1 < position
      const filled = isMissing ? await appendPruned(Math.min(position, through + 1)) : right(undefined)
      if (isLeft(filled)) return filled
      if (position > through) break // where entries are missing, a page reaches further
      const finding = findingOf(bytes, position, tree)
      if (finding !== undefined) return damaged(finding)
      append({ hash: leafHash(sha256, bytes), entry: bytes })
    }
    const after = await afterPage()
    if (isLeft(after)) return after
  }
  return tree.size() < through
    ? damaged(`the log ends at position ${tree.size()}, before position ${through}: entries were removed`)
    : right(undefined)
}

const PRUNED_PER_PAGE = 1_000

const findingOf = (entry: Uint8Array, position: number, tree: MerkleTree): string | undefined => {
  const expected = tree.size() + 1
  if (position !== expected) return `position ${expected} is missing: the next entry has position ${position}`
  if (entry.length > MAX_ENTRY_BYTES)
    return `the entry at position ${position} is longer than ${MAX_ENTRY_BYTES} bytes`
  return undefined
}
