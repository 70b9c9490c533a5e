import { type Either, isLeft, left, right } from 'fp-ts/lib/Either.js'
import { isNone, isSome } from 'fp-ts/lib/Option.js'
import type { TaskEither } from 'fp-ts/lib/TaskEither.js'
import type { Checkpoint } from '../../domain/checkpoint.ts'
import { countOf, lotsOf, partsOf, type Runs, union, without } from '../../domain/position-runs.ts'
import { POSITIONS_LENGTH, proofText } from '../../domain/pruning-proof.ts'
import type { Clock, Timer } from '../ports/environment.ts'
import type { FilesUnavailable, LogFiles } from '../ports/log-files.ts'
import type { Store, StoreUnavailable } from '../ports/store.ts'
import type { Pruning } from '../recording/events/service-events.ts'
import { neverFailsWith, operatorOf, type Recorder, type RequestContext } from '../recording/recorder.ts'
import { type DamagedLog, damaged } from './append-entries.ts'
import type { OtherExport } from './export-log.ts'
import type { CheckpointDependencies, NoLogKey } from './make-checkpoint.ts'
import { openCheckpoint } from './open-checkpoint.ts'
import { type PlannedPruning, planPruning } from './plan-pruning.ts'
import type { ProvedBySome } from './pruned-entries.ts'
import { originOfTree, treeAt } from './stored-tree.ts'
import { verifyExport, type WrongExport } from './verify-export.ts'
import { type RenewedMeanwhile, verifyLog } from './verify-log.ts'

/**
 * Removes old entries without effect from the log, after it has proved that the files contain them (docs/retention.md).
 *
 * `LogPruned` is written first. Its proof names the entries that may be missing from then on, so the log agrees with it at any time, also
 * after a crash. A repetition continues.
 *
 * What only some keys of `EVENT_LOG_KEY` prove, it proves with every key if `proveAgain` asks for it: then a former key can go. It is not
 * the default, because the holder of a leaked key can have signed it, too.
 */
export type PruneLog = (
  asked: Readonly<{ files: LogFiles }> & AskedPruning,
  context: RequestContext,
) => TaskEither<PruneFailure, Pruned>

/** `onProvedBySome` is told what will be proved again, before anything is signed. */
export type AskedPruning = Readonly<{
  beforeSeconds: number
  proveAgain: boolean
  onProvedBySome: (provedBySome: ReadonlyArray<ProvedBySome>) => void
}>

/** What is pruned: undefined if there was nothing to prune. `deleted` is the number of entries that this call deleted. */
export type Pruned = Readonly<{ pruning: Pick<Pruning, 'before' | 'through'> | undefined; deleted: number }>

export type PruneFailure =
  | StoreUnavailable
  | DamagedLog
  | RenewedMeanwhile
  | NoLogKey
  | FilesUnavailable
  | WrongExport
  | OtherExport
  | TooRecent
  | NotCovered
  | NotExported
  | Interrupted

/** The sessions of that time may still be in the store. */
export type TooRecent = Readonly<{ _tag: 'TooRecent' }>

/** The signed checkpoint in the store does not cover this position yet. */
export type NotCovered = Readonly<{ _tag: 'NotCovered'; position: number }>

/** The exported log has `size` entries, and ends before `through`. */
export type NotExported = Readonly<{ _tag: 'NotExported'; size: number; through: number }>

/** The store failed after `LogPruned` was written. The log agrees with it, and a repetition continues. */
export type Interrupted = Readonly<{ _tag: 'Interrupted'; reason: string }>

type Dependencies = CheckpointDependencies &
  Readonly<{
    store: Pick<Store, 'readEvents' | 'deleteExpired'>
    record: Recorder
    clock: Clock
    timer: Timer
  }>

export const pruneLog =
  (dependencies: Dependencies): PruneLog =>
  ({ beforeSeconds, files, proveAgain, onProvedBySome }, context) =>
  async () => {
    const { store, clock, notes } = dependencies
    const latestSeconds = Math.floor(clock() / 1000) - LEAST_AGE_SECONDS
    if (beforeSeconds > latestSeconds) return left<TooRecent>({ _tag: 'TooRecent' })
    if (notes.verifierKeys('').length === 0) return left<NoLogKey>({ _tag: 'NoLogKey' }) // before reading
    const planned = await planPruning(dependencies, beforeSeconds * 1000)
    if (isLeft(planned)) return planned
    if (planned.right === undefined) return right({ pruning: undefined, deleted: 0 })
    const { through, present, provedBySome } = planned.right
    const covered = await checkTree(dependencies, through)
    if (isLeft(covered)) return covered
    const exported = await checkFiles(dependencies, through, files)
    if (isLeft(exported)) return exported
    const checked = await checkEntries(dependencies)
    if (isLeft(checked)) return checked
    if (provedBySome.length > 0) onProvedBySome(provedBySome)
    const again = proveAgain ? provedBySome.map(({ positions }) => positions) : []
    const unproved = union([planned.right.unproved, ...again])
    const proved = await prove(
      dependencies,
      { ...planned.right, unproved, checkpoint: exported.right },
      context,
    )
    if (isLeft(proved)) return proved
    const sessions = await deleteSessions(store, latestSeconds) // an interrupted pruning may have had a later date
    if (isLeft(sessions)) return interrupted(sessions.left)
    const deleted = await deleteEntries(dependencies, through, present)
    if (isLeft(deleted)) return interrupted(deleted.left)
    const pruning = { before: planned.right.before, through }
    return right({ pruning, deleted: deleted.right })
  }

const interrupted = ({ reason }: StoreUnavailable): Either<Interrupted, never> =>
  left({ _tag: 'Interrupted', reason })

/** Housekeeping keeps expired sessions for a day. */
const LEAST_AGE_SECONDS = 2 * 24 * 3600

/** The tree in the store goes further than what is pruned, and so does its signed checkpoint. */
const checkTree = async (
  { log, notes, publicUrl }: Dependencies,
  through: number,
): Promise<Either<StoreUnavailable | NotCovered, void>> => {
  const stored = await log.readTree()()
  if (isLeft(stored)) return stored
  const origin = originOfTree(stored.right, publicUrl)
  const signed = await openCheckpoint(notes, stored.right.note, notes.verifierKeys)
  const isCovered =
    isSome(signed) &&
    signed.value.origin === origin &&
    signed.value.size > through &&
    stored.right.size > through
  return isCovered ? right(undefined) : left({ _tag: 'NotCovered', position: through + 1 })
}

/**
 * The files are an exported log, signed by a key of the service. It is this log, and has everything that is pruned. Returns its checkpoint,
 * with the origin that the log has now.
 */
const checkFiles = async (
  { log, notes, treeDigests, publicUrl }: Dependencies,
  through: number,
  files: LogFiles,
): Promise<Either<Exclude<PruneFailure, TooRecent>, Checkpoint>> => {
  const verifierKeys = notes.verifierKeys(await originOfFiles(files))
  const exported = await verifyExport({ notes, treeDigests })(files, { verifierKeys, kept: [] })()
  if (isLeft(exported)) return exported
  const { size, root } = exported.right
  if (size < through) return left({ _tag: 'NotExported', size, through })
  const stored = await log.readTree()()
  if (isLeft(stored)) return stored
  if (size > stored.right.size) return left({ _tag: 'NotCovered', position: size })
  const at = await treeAt(log, size, treeDigests)
  if (isLeft(at)) return at
  return treeDigests.base64(at.right.tree.root()) === root
    ? right({ origin: originOfTree(stored.right, publicUrl), size, root })
    : left<OtherExport>({ _tag: 'OtherExport', checkpoint: exported.right })
}

const originOfFiles = async (files: LogFiles): Promise<string> => {
  const note = await files.readCheckpoint()()
  if (isLeft(note) || isNone(note.right)) return ''
  return note.right.value.slice(0, note.right.value.indexOf('\n'))
}

/** Every entry agrees with the tree. After the pruning, that of a pruned one could no longer be compared. */
const checkEntries = async (
  dependencies: Dependencies,
): Promise<Either<StoreUnavailable | DamagedLog | RenewedMeanwhile, void>> => {
  const verified = await verifyLog(dependencies)([])()
  if (isLeft(verified)) return verified
  const [finding] = verified.right.findings
  return finding === undefined ? right(undefined) : damaged(finding)
}

/** Writes `LogPruned` for what is to be proved by each key. Each has a bounded number of runs. */
const prove = async (
  { notes, record }: Dependencies,
  { before, through, unproved, proved, checkpoint }: PlannedPruning & Readonly<{ checkpoint: Checkpoint }>,
  context: RequestContext,
): Promise<Either<StoreUnavailable | NoLogKey, void>> => {
  let entries = countOf(proved)
  for (const removed of partsOf(unproved, POSITIONS_LENGTH)) {
    const proof = await notes.sign(proofText({ checkpoint, removed }), checkpoint.origin)
    if (isNone(proof)) return left<NoLogKey>({ _tag: 'NoLogKey' })
    entries += countOf(without(removed, proved))
    const pruning = { before, through, entries, proof: proof.value }
    const facts = record([{ _tag: 'LogPruned', pruning }], operatorOf(context), context)
    const recorded = await neverFailsWith('Conflict', 'EmailTaken')(facts)()
    if (isLeft(recorded)) return recorded
  }
  return right(undefined)
}

/** A sign-in goes only if its session is gone. */
const deleteSessions = async (
  store: Pick<Store, 'deleteExpired'>,
  beforeSeconds: number,
): Promise<Either<StoreUnavailable, void>> => {
  for (;;) {
    const deleted = await store.deleteExpired({ table: 'sessions', beforeSeconds, limit: AT_ONCE })()
    if (isLeft(deleted)) return deleted
    if (deleted.right < AT_ONCE) return right(undefined)
  }
}

/** Deletes the entries in bounded transactions. A pause as long as each one follows it, so that requests hardly notice. */
const deleteEntries = async (
  { log, timer }: Dependencies,
  through: number,
  present: Runs,
): Promise<Either<StoreUnavailable, number>> => {
  let deleted = 0
  for (const positions of lotsOf(present, AT_ONCE)) {
    const begin = timer.now()
    const outcome = await log.pruneLog({ through, positions })()
    if (isLeft(outcome)) return outcome
    deleted += outcome.right
    await timer.until(2 * timer.now() - begin)()
  }
  return right(deleted)
}

/** The most rows that one transaction deletes. */
const AT_ONCE = 1_000
