import { type Either, isLeft, isRight, right } from 'fp-ts/lib/Either.js'
import { isNone, isSome, none, type Option, some } from 'fp-ts/lib/Option.js'
import type { Task } from 'fp-ts/lib/Task.js'
import { checkpointText } from '../../domain/checkpoint.ts'
import { type MerkleTree, merkleTree } from '../../domain/merkle-tree.ts'
import type { Background } from '../ports/background.ts'
import type { Timer } from '../ports/environment.ts'
import type { LogTree, StoredTree, TreeExtension, TreeReads } from '../ports/log-tree.ts'
import type { StoreUnavailable } from '../ports/store.ts'
import { appendEntries, type DamagedLog, damaged, type Leaf } from './append-entries.ts'
import {
  checkedTree,
  checkpointOf,
  type HistoryDependencies,
  isOfThisEpoch,
  originOfTree,
  prefixOfTree,
  storedLeaves,
  treeAt,
} from './stored-tree.ts'
import { hashTiles } from './tiles.ts'

/** Keeps the tree of the log up to date in the background, until the background closes. */
export type LogIntegration = Readonly<{
  /** A second call does nothing. */
  start(): void
}>

/** Is told the outcome of each pass. It changes nothing and does not throw. */
export type IntegrationObserver = Readonly<{
  /** @param pending the entries that are not in the tree yet */
  looked(pending: number): void
  /** Nothing is wrong with the log and its tree. */
  passed(): void
  /** Something is wrong with the log or its tree, so nothing is signed. It is told once until something else is wrong. */
  stopped(finding: string): void
  failed(failure: StoreUnavailable): void
}>

type Dependencies = HistoryDependencies &
  Readonly<{ log: LogTree; background: Background; timer: Timer; observer: IntegrationObserver }>

/**
 * Adds new entries to the tree and signs a checkpoint of it, at most once a second. Any number of instances may do the same.
 *
 * The tree follows from the log, so a crash or a lost answer costs only the repetition. A pass works in small slices, so that requests
 * hardly notice. Nothing is signed after a finding, and requests go on meanwhile. The finding ends when its cause is
 * gone or the log is renewed. A new process knows nothing of an earlier tree.
 */
export const integrateLog = (dependencies: Dependencies): LogIntegration => {
  const { log, background, timer, observer } = dependencies
  let seen: StoredTree | undefined
  let lastFinding: string | undefined
  let started = false
  let beganAt = 0

  /** Returns whether the tree needs another pass at once. */
  const note = (stored: StoredTree): boolean => {
    seen = stored
    lastFinding = undefined
    observer.looked(stored.entries - stored.size)
    observer.passed()
    return stored.entries > stored.size
  }

  const pass = async (): Promise<Either<StoreUnavailable | DamagedLog, boolean>> => {
    const stored = await log.readTree()()
    if (isLeft(stored)) return stored
    observer.looked(Math.max(0, stored.right.entries - stored.right.size))
    if (await isUpToDate(dependencies, { stored: stored.right, seen })) {
      const continued = await continues(dependencies, { stored: stored.right, seen }, log)
      if (isLeft(continued)) return continued
      // It is checked when this process first sees it, and after a finding.
      const isTrusted = seen?.epoch === stored.right.epoch && lastFinding === undefined
      const checked = isTrusted ? right(undefined) : await checkedTree(dependencies, stored.right, log)
      if (isRight(checked)) return right(note(stored.right))
      if (!mayBeginAgain(checked.left, isNew(stored.right))) return checked
    }
    let outcome: Either<StoreUnavailable | DamagedLog, TreeExtension> | undefined
    let extended = stored.right
    const written = await log.extendTree((tree, reads) => async () => {
      extended = tree
      const continued = await continues(dependencies, { stored: tree, seen }, reads)
      outcome = isLeft(continued)
        ? continued
        : await extensionOf(dependencies, { stored: tree, isNew: isNew(tree) }, reads)
      return isLeft(outcome) ? none : some(outcome.right)
    })()
    if (isLeft(written)) return written
    if (outcome === undefined) return right(false) // another instance works
    if (isLeft(outcome)) return outcome
    const now = written.right ? { ...extended, ...outcome.right } : extended
    return right(note({ ...now, entries: Math.max(now.entries, now.size) }))
  }

  /** Whether the log was renewed since this process, or else the last signer, looked at its tree, and was not signed since. */
  const isNew = (stored: StoredTree): boolean =>
    !isOfThisEpoch(stored, dependencies.publicUrl) &&
    (seen === undefined ? stored.note !== '' : seen.epoch !== stored.epoch)

  const run: Task<void> = async () => {
    let outcome: Awaited<ReturnType<typeof pass>> = right(false)
    try {
      outcome = await pass()
    } finally {
      next(outcome)
    }
  }

  const next = (outcome: Awaited<ReturnType<typeof pass>>): void => {
    if (isLeft(outcome)) {
      tell(outcome.left)
      later()
    } else if (!outcome.right || !background.run(run)) later(beganAt + INTERVAL_MS - timer.now())
  }

  const tell = (failure: StoreUnavailable | DamagedLog): void => {
    if (failure._tag === 'StoreUnavailable') observer.failed(failure)
    else if (failure.finding !== lastFinding) {
      lastFinding = failure.finding
      observer.stopped(failure.finding)
    }
  }

  /** When the service stops, `after` runs what was delayed, but `run` refuses it. So only a running pass delays the stop, by a second at most. */
  const later = (milliseconds = INTERVAL_MS): void =>
    background.after(Math.max(0, milliseconds), async () => {
      beganAt = timer.now()
      if (!background.run(run)) later()
    })

  return {
    start: () => {
      if (started) return
      started = true
      later()
    },
  }
}

/** Fails if the stored tree does not continue the last one of its epoch that this process has seen. */
const continues = async (
  { treeDigests }: Dependencies,
  { stored, seen }: Readonly<{ stored: StoredTree; seen: StoredTree | undefined }>,
  reads: TreeReads,
): Promise<Either<StoreUnavailable | DamagedLog, void>> => {
  if (seen === undefined || seen.epoch !== stored.epoch) return right(undefined)
  const { size } = seen
  // The sentences do not change with the next entries, because each new finding is told.
  if (stored.size < size)
    return damaged(
      `the stored tree has fewer than the ${size} entries that this process has seen: an older one was put back`,
    )
  let { root } = stored
  if (stored.size > size) {
    const at = await treeAt(reads, size, treeDigests) // another instance has extended it
    if (isLeft(at)) return at
    root = treeDigests.base64(at.right.tree.root())
  }
  return root === seen.root
    ? right(undefined)
    : damaged(
        `the first ${size} entries of the stored tree have another root than this process has seen: the tree was changed`,
      )
}

/** Whether the tree has all entries, and every key has signed the checkpoint of it: a key may be new. */
const isUpToDate = async (
  { notes, publicUrl }: Dependencies,
  { stored, seen }: Readonly<{ stored: StoredTree; seen: StoredTree | undefined }>,
): Promise<boolean> => {
  const origin = originOfTree(stored, publicUrl)
  const keys = notes.verifierKeys(origin)
  if (stored.size !== stored.entries || stored.originPrefix === '') return false
  if (keys.length === 0) return true
  if (!stored.note.startsWith(`${origin}\n${stored.size}\n`)) return false
  if (stored.note === seen?.note) return true // judged before
  const opened = await Promise.all(keys.map((key) => notes.open(stored.note, [key])))
  return opened.every(isSome)
}

/** The operator has accepted a renewed log as it is. Its new origin has signed nothing yet, so a damaged tree may begin again. */
const mayBeginAgain = ({ _tag }: StoreUnavailable | DamagedLog, isNew: boolean): boolean =>
  isNew && _tag === 'DamagedLog'

/** The stored tree with the next entries. It gets a checkpoint when it has all entries. */
const extensionOf = async (
  dependencies: Dependencies,
  { stored, isNew }: Readonly<{ stored: StoredTree; isNew: boolean }>,
  reads: TreeReads,
): Promise<Either<StoreUnavailable | DamagedLog, TreeExtension>> => {
  const { treeDigests, publicUrl } = dependencies
  const checked = await checkedTree(dependencies, stored, reads)
  if (isLeft(checked) && !mayBeginAgain(checked.left, isNew)) return checked
  const { tree, edge } = isLeft(checked) ? { tree: merkleTree(treeDigests.sha256), edge: [] } : checked.right
  const hashes = hashTiles(edge, tree.size())
  const through = Math.min(stored.entries, tree.size() + ENTRIES_PER_PASS)
  const pruned = prunedLeaves(stored, reads)
  const appended = await inSlices(dependencies.timer, tree, through, (end) =>
    appendEntries(tree, {
      lines: reads,
      sha256: treeDigests.sha256,
      through: end,
      pruned,
      onEntry: (_leaf, completed) => hashes.add(completed),
    }),
  )
  if (isLeft(appended)) return appended
  const { root } = checkpointOf(tree, '', treeDigests)
  const signed = tree.size() === stored.entries ? await noteOf(dependencies, stored, tree) : none
  return right({
    originPrefix: prefixOfTree(stored, publicUrl),
    size: tree.size(),
    root,
    note: isNone(signed) ? stored.note : signed.value,
    tiles: [...hashes.takeFull(), ...hashes.partial()].map(({ path: { level, index }, bytes }) => ({
      ...{ level, index },
      hashes: bytes,
    })),
  })
}

/** A tree that begins again takes the hashes of pruned entries from the former one: nothing else has them. */
const prunedLeaves = ({ pruned }: StoredTree, reads: TreeReads) => {
  const leafAt = storedLeaves(reads)

  return async (position: number): Promise<Either<StoreUnavailable, Leaf | undefined>> => {
    const hash = position > pruned ? right(undefined) : await leafAt(position)
    return isLeft(hash) ? hash : right(hash.right && { hash: hash.right })
  }
}

const noteOf = async (
  { notes, treeDigests, publicUrl }: Dependencies,
  stored: StoredTree,
  tree: Parameters<typeof checkpointOf>[0],
): Promise<Option<string>> => {
  const checkpoint = checkpointOf(tree, originOfTree(stored, publicUrl), treeDigests)
  return notes.sign(checkpointText(checkpoint), checkpoint.origin)
}

const INTERVAL_MS = 1_000

/** Another instance may take over after so many. */
const ENTRIES_PER_PASS = 16_384

/**
 * Appends in slices and rests between two of them, so that a request meets one slice at most, and most requests none. A slice has so many entries for each
 * millisecond since the one before: on a busy server a rest takes longer, and the tree must grow faster than the log.
 */
const inSlices = async <Failure>(
  timer: Timer,
  tree: Pick<MerkleTree, 'size'>,
  through: number,
  append: (end: number) => Promise<Either<Failure, void>>,
): Promise<Either<Failure, void>> => {
  for (let before = timer.now() - REST_MS; ; ) {
    const now = timer.now()
    const entries = Math.ceil(Math.min(LONGEST_TURN_MS, now - before) * ENTRIES_PER_MS)
    before = now
    const appended = await append(Math.min(through, tree.size() + entries))
    if (isLeft(appended) || tree.size() === through) return appended
    await timer.until(timer.now() + REST_MS)()
  }
}

/** They take about a tenth of a millisecond, so a long tree takes a tenth of the time. */
const ENTRIES_PER_MS = 16
const REST_MS = 2

/** Longer ones add no more entries, so that no slice blocks the process for long. */
const LONGEST_TURN_MS = 32
