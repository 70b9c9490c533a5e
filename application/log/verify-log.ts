import { type Either, isLeft, left, right } from 'fp-ts/lib/Either.js'
import { toUndefined } from 'fp-ts/lib/Option.js'
import type { TaskEither } from 'fp-ts/lib/TaskEither.js'
import { type Checkpoint, epochOf } from '../../domain/checkpoint.ts'
import { merkleTree } from '../../domain/merkle-tree.ts'
import { countOf, hasPosition, type Runs, without } from '../../domain/position-runs.ts'
import { areSameBytes, HASH_BYTES, hashesOf, TILE_WIDTH, tilePath } from '../../domain/tile.ts'
import type { Store, StoreUnavailable } from '../ports/store.ts'
import { PAGE_OF_CHECK } from '../recording/pages.ts'
import { appendEntries, type DamagedLog, damaged, type Leaf } from './append-entries.ts'
import { readRenewals } from './epochs.ts'
import type { CheckpointDependencies } from './make-checkpoint.ts'
import { openCheckpoint } from './open-checkpoint.ts'
import { NONE_PROVED, provedPositions, readPrunings } from './pruned-entries.ts'
import { checkedTree, storedLeaves } from './stored-tree.ts'
import { hashTiles } from './tiles.ts'

/**
 * Compares every entry of the log with the stored tree, the tree with its signed checkpoint, and both with checkpoints that were
 * kept elsewhere. A kept checkpoint must be signed by a key of the service, and its root must be the root of as many entries of
 * the log. Without a difference, these entries were not changed, cut, moved or extended in the middle since then. Pruned entries
 * may be missing, as far as a signed `LogPruned` names them.
 *
 * @param onProgress called before the first and after each page with the number of entries so far, and their number in the end
 */
export type VerifyLog = (
  notes: ReadonlyArray<string>,
  onProgress?: (done: number, total: number) => void,
) => TaskEither<DamagedLog | StoreUnavailable | RenewedMeanwhile, VerifiedLog>

/**
 * `findings` says where entries and tree differ: at most ten sentences without a full stop. `verdicts` are in the order of the notes.
 * `provedBySome` is the number of missing entries that not every key of the service proves. `stillPresent` are the positions that a
 * proof names and that are there: a pruning was interrupted, or a key signed what no operator pruned.
 */
export type VerifiedLog = Readonly<{
  size: number
  provedBySome: number
  stillPresent: Runs
  findings: ReadonlyArray<string>
  verdicts: ReadonlyArray<Verdict>
}>

/** The log got another epoch meanwhile. */
export type RenewedMeanwhile = Readonly<{ _tag: 'RenewedMeanwhile' }>

/** What a kept checkpoint says about the log. */
export type Verdict =
  | Readonly<{ _tag: 'Same'; checkpoint: Checkpoint }>
  | Readonly<{ _tag: 'NotSigned' }>
  | Readonly<{ _tag: 'OtherLog'; checkpoint: Checkpoint }>
  | Readonly<{ _tag: 'Shorter'; checkpoint: Checkpoint; shared: number }>
  | Readonly<{ _tag: 'Different'; checkpoint: Checkpoint }>

type VerifyDependencies = CheckpointDependencies &
  Readonly<{
    store: Pick<Store, 'readEvents'>
    /** Returns what all `LogPruned` say, if a caller knows how to find them faster than in the whole log. */
    findPrunings?: () => ReturnType<typeof readPrunings>
  }>

export const verifyLog = (dependencies: VerifyDependencies): VerifyLog => {
  const verify = verifyOnce(dependencies)
  return (notes, onProgress) => async () => {
    for (let attempt = 1; ; attempt += 1) {
      const verified = await verify(notes, onProgress)()
      const isRenewed = isLeft(verified) && verified.left._tag === 'RenewedMeanwhile'
      if (!isRenewed || attempt === ATTEMPTS) return verified
    }
  }
}

/** Renewals are rare. */
const ATTEMPTS = 3

const verifyOnce =
  (dependencies: VerifyDependencies): VerifyLog =>
  (notes, onProgress = () => {}) =>
  async () => {
    const { log, store, treeDigests, notes: signing } = dependencies
    const opened = notes.map((note) => openCheckpoint(signing, note, signing.verifierKeys))
    const kept = (await Promise.all(opened)).map(toUndefined)
    const roots = new Map<number, string>(kept.flatMap((one) => (one === undefined ? [] : [[one.size, '']])))
    const stored = await log.readTree()()
    if (isLeft(stored)) return stored
    const { size, entries, epoch } = stored.right

    const tree = merkleTree(treeDigests.sha256)
    const hashes = hashTiles()
    const pruned = prunedLeaves(dependencies)
    const noteRoot = (): void => {
      if (roots.has(tree.size())) roots.set(tree.size(), treeDigests.base64(tree.root()))
    }
    const findings: Array<string> = []
    const compare = async (tiles: ReturnType<typeof hashes.partial>) => {
      const found = await differences(dependencies, tiles, size)
      if (isLeft(found)) return found
      findings.push(...found.right.slice(0, MOST_FINDINGS - findings.length))
      return right(undefined)
    }

    noteRoot()
    const through = Math.max(entries, size)
    onProgress(0, through)
    const appended = await appendEntries<StoreUnavailable>(tree, {
      lines: log,
      sha256: treeDigests.sha256,
      through,
      page: PAGE_OF_CHECK,
      pruned: pruned.leafAt,
      onEntry: (_, completed) => {
        hashes.add(completed)
        noteRoot()
      },
      afterPage: () => {
        onProgress(tree.size(), through)
        return compare(hashes.takeFull())
      },
    })
    if (isLeft(appended)) return appended
    const last = await compare(hashes.partial())
    if (isLeft(last)) return last
    const checked = await checkedTree(dependencies, stored.right, log)
    if (isLeft(checked)) {
      if (checked.left._tag === 'StoreUnavailable') return left(checked.left)
      if (findings.length === 0) findings.push(checked.left.finding)
    }
    const renewals = kept.length === 0 ? right([]) : await readRenewals(store)
    if (isLeft(renewals)) return renewals
    const now = await log.readTree()()
    if (isLeft(now)) return now
    if (now.right.epoch !== epoch) return left<RenewedMeanwhile>({ _tag: 'RenewedMeanwhile' })
    const shared = new Map(renewals.right.map(({ ended, size }) => [ended, size]))
    shared.set(epoch, tree.size())
    const verdicts = kept.map((one) => verdictOf(one, roots, shared))
    return right({
      size: tree.size(),
      ...pruned.seen(),
      findings: findings.slice(0, MOST_FINDINGS),
      verdicts,
    })
  }

/** One change of a tree shows in many tiles. */
const MOST_FINDINGS = 10

/** A pruned entry is gone, and its hash is still in the tree. Entries may be pruned meanwhile, so an unknown position is looked up again. */
const prunedLeaves = (dependencies: VerifyDependencies) => {
  const { log, store, findPrunings = () => readPrunings(store) } = dependencies
  const storedLeaf = storedLeaves(log)
  let proved = NONE_PROVED
  const missing: Array<[first: number, last: number]> = []
  const noteMissing = (position: number): void => {
    const run = missing.at(-1)
    if (run?.[1] === position - 1) run[1] = position
    else missing.push([position, position])
  }

  return {
    /** What proofs say about the entries that were seen. */
    seen: (): Pick<VerifiedLog, 'provedBySome' | 'stillPresent'> => ({
      provedBySome: countOf(without(missing, proved.byEvery)),
      stillPresent: without(proved.byAny, missing),
    }),
    leafAt: async (position: number): Promise<Either<StoreUnavailable | DamagedLog, Leaf | undefined>> => {
      if (!hasPosition(proved.byAny, position)) {
        const prunings = await findPrunings()
        if (isLeft(prunings)) return prunings
        const found = await provedPositions(dependencies, prunings.right)
        if (isLeft(found)) return found
        proved = found.right
      }
      if (!hasPosition(proved.byAny, position)) return right(undefined)
      noteMissing(position)
      const hash = await storedLeaf(position)
      if (isLeft(hash)) return hash
      return hash.right === undefined
        ? damaged(`the entry at position ${position} was pruned, and the tree lacks its hash`)
        : right({ hash: hash.right })
    },
  }
}

/** Compares computed tiles with the stored ones, as far as the stored tree reaches. */
const differences = async (
  { log }: VerifyDependencies,
  tiles: ReturnType<ReturnType<typeof hashTiles>['partial']>,
  size: number,
): Promise<Either<StoreUnavailable, ReadonlyArray<string>>> => {
  const findings: Array<string> = []
  for (const { path, bytes } of tiles) {
    const { level, index, width } = path
    const stored = await log.readTile(path)()
    if (isLeft(stored)) return stored
    const reaches = Math.floor(size / TILE_WIDTH ** level) - index * TILE_WIDTH
    const end = HASH_BYTES * Math.max(0, Math.min(width, reaches))
    if (areSameBytes(bytes.subarray(0, end), stored.right.subarray(0, end))) continue
    const storedHashes = hashesOf(stored.right)
    const at = hashesOf(bytes.subarray(0, end)).findIndex(
      (hash, each) => !areSameBytes(hash, storedHashes[each] ?? NOTHING),
    )
    findings.push(
      storedHashes[at] === undefined
        ? `${tilePath({ ...path, width: Math.min(path.width, reaches) })} is stored without all of its hashes`
        : level === 0
          ? `the entry at position ${index * TILE_WIDTH + at + 1} is not the one in the tree`
          : `${tilePath(path)} does not follow from the tiles below it`,
    )
  }
  return right(findings)
}

const NOTHING = new Uint8Array()

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
