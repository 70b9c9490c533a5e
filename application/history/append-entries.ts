import { type Either, isLeft, left, right } from 'fp-ts/lib/Either.js'
import type { TaskEither } from 'fp-ts/lib/TaskEither.js'
import { leafHash, type MerkleTree, type Sha256, type Subtree } from '../../domain/merkle-tree.ts'
import { MAX_ENTRY_BYTES } from '../../domain/tile.ts'
import { pages } from '../pages.ts'
import type { LogLines } from '../ports/log-lines.ts'
import type { StoreUnavailable } from '../ports/store.ts'

/** The log or its tree is damaged: `finding` says where. It is a sentence without a full stop. */
export type DamagedLog = Readonly<{ _tag: 'DamagedLog'; finding: string }>

export const damaged = (finding: string): Either<DamagedLog, never> => left({ _tag: 'DamagedLog', finding })

/** Adds the entries of the log behind the end of a tree, and fails at the first that is missing. */
export const appendEntries = async <Failure = never>(
  tree: MerkleTree,
  {
    lines,
    sha256,
    through,
    page,
    onEntry = () => {},
    afterPage,
  }: Readonly<{
    lines: Pick<LogLines, 'readLines'>
    sha256: Sha256
    /** The last position to add. */
    through: number
    /** The number of entries in each read. */
    page?: number
    /** Is called after each entry with the subtrees that it completes. */
    onEntry?: (entry: Uint8Array, completed: ReadonlyArray<Subtree>) => void
    /** Runs after each page. A failure ends the reading. */
    afterPage?: TaskEither<Failure, void>
  }>,
): Promise<Either<StoreUnavailable | DamagedLog | Failure, void>> => {
  const read = (after: number, limit: number) =>
    lines.readLines({ after, limit: Math.min(limit, through - after) })
  for await (const lot of pages(read, tree.size(), ({ position }) => position, page)) {
    if (isLeft(lot)) return lot
    for (const { position, bytes } of lot.right) {
      const finding = findingOf(bytes, position, tree)
      if (finding !== undefined) return damaged(finding)
      onEntry(bytes, tree.append(leafHash(sha256, bytes)))
    }
    const after = await afterPage?.()
    if (after !== undefined && isLeft(after)) return after
  }
  return tree.size() < through
    ? damaged(`the log ends at position ${tree.size()}, before position ${through}: entries were removed`)
    : right(undefined)
}

const findingOf = (entry: Uint8Array, position: number, tree: MerkleTree): string | undefined => {
  const expected = tree.size() + 1
  if (position !== expected) return `position ${expected} is missing: the next entry has position ${position}`
  if (entry.length > MAX_ENTRY_BYTES)
    return `the entry at position ${position} is longer than ${MAX_ENTRY_BYTES} bytes`
  return undefined
}
