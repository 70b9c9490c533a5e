import { type Either, isLeft, left, right } from 'fp-ts/lib/Either.js'
import { isNone, isSome } from 'fp-ts/lib/Option.js'
import type { TaskEither } from 'fp-ts/lib/TaskEither.js'
import { prunableBefore } from '../../domain/retention.ts'
import type { Clock, Timer } from '../ports/environment.ts'
import type { FilesUnavailable, LogFiles } from '../ports/log-files.ts'
import type { Store, StoreUnavailable } from '../ports/store.ts'
import type { Pruning } from '../recording/events/service-events.ts'
import { pages } from '../recording/pages.ts'
import { neverFailsWith, operatorOf, type Recorder, type RequestContext } from '../recording/recorder.ts'
import { type DamagedLog, damaged } from './append-entries.ts'
import type { OtherExport } from './export-log.ts'
import type { CheckpointDependencies, NoLogKey } from './make-checkpoint.ts'
import { openCheckpoint } from './open-checkpoint.ts'
import { countPrunable, lastPruning, prunedPages, timeOf } from './pruned-entries.ts'
import { originOfTree, treeAt } from './stored-tree.ts'
import { verifyExport, type WrongExport } from './verify-export.ts'
import { type RenewedMeanwhile, verifyLog } from './verify-log.ts'

/**
 * Removes old entries without effect from the log, after it has proved that the files contain them (docs/retention.md).
 *
 * `LogPruned` is written first. It says which entries may be missing from then on, so the log agrees with it at any time, also after a
 * crash. A repetition continues.
 */
export type PruneLog = (
  asked: Readonly<{ beforeSeconds: number; files: LogFiles }>,
  context: RequestContext,
) => TaskEither<PruneFailure, Pruned>

/** What is pruned: undefined if there was nothing to prune. `deleted` is the number of entries that this call deleted. */
export type Pruned = Readonly<{ pruning: Pruning | undefined; deleted: number }>

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
  ({ beforeSeconds, files }, context) =>
  async () => {
    const { store, record, clock } = dependencies
    if (beforeSeconds > clock() / 1000 - LEAST_AGE_SECONDS) return left<TooRecent>({ _tag: 'TooRecent' })
    const planned = await plan(dependencies, beforeSeconds)
    if (isLeft(planned)) return planned
    const { pruning, isNew } = planned.right
    if (pruning === undefined) return right({ pruning, deleted: 0 })
    for (const check of [checkTree, checkFiles, checkEntries]) {
      const checked = await check(dependencies, pruning, files)
      if (isLeft(checked)) return checked
    }
    if (isNew) {
      const facts = record([{ _tag: 'LogPruned', pruning }], operatorOf(context), context)
      const recorded = await neverFailsWith('Conflict', 'EmailTaken')(facts)()
      if (isLeft(recorded)) return recorded
    }
    const sessions = await deleteSessions(store, Math.ceil(timeOf(pruning) / 1000))
    if (isLeft(sessions)) return interrupted(sessions.left)
    const deleted = await deleteEntries(dependencies, pruning)
    return isLeft(deleted) ? interrupted(deleted.left) : right({ pruning, deleted: deleted.right })
  }

const interrupted = ({ reason }: StoreUnavailable): Either<Interrupted, never> =>
  left({ _tag: 'Interrupted', reason })

/** Housekeeping keeps expired sessions for a day. */
const LEAST_AGE_SECONDS = 2 * 24 * 3600

type Plan = Readonly<{ pruning: Pruning | undefined; isNew: boolean }>

/** The pruning to do: a new one, or the last one if it goes as far and may be unfinished. */
const plan = async (
  { store }: Dependencies,
  beforeSeconds: number,
): Promise<Either<StoreUnavailable, Plan>> => {
  const last = await lastPruning(store)
  if (isLeft(last)) return last
  const beforeMilliseconds = beforeSeconds * 1000
  if (last.right !== undefined && timeOf(last.right) >= beforeMilliseconds)
    return right({ pruning: last.right, isNew: false })
  const found = await lastOlder(store, beforeMilliseconds, last.right?.through ?? 0)
  if (isLeft(found)) return found
  const through = found.right
  const counted = await countPrunable(store, { beforeMilliseconds, through })
  if (isLeft(counted)) return counted
  const { missing, present } = counted.right
  if (present === 0) return right({ pruning: undefined, isNew: false })
  const before = new Date(beforeMilliseconds).toISOString()
  return right({ pruning: { before, through, entries: missing + present }, isNew: true })
}

/** The last position before the first entry that is not older. The last entry of the log always stays. */
const lastOlder = async (
  store: Pick<Store, 'readEvents'>,
  beforeMilliseconds: number,
  begin: number,
): Promise<Either<StoreUnavailable, number>> => {
  let last = begin
  const read = (after: number, limit: number) => store.readEvents({ after, limit })
  for await (const page of pages(read, begin, ({ position }) => position)) {
    if (isLeft(page)) return page
    for (const { at, position } of page.right) {
      if (!(Date.parse(at) < beforeMilliseconds)) return right(Math.max(begin, position - 1))
      last = position
    }
  }
  return right(Math.max(begin, last - 1))
}

/** The tree in the store goes further than what is pruned, and so does its signed checkpoint. */
const checkTree = async (
  { log, notes, publicUrl }: Dependencies,
  { through }: Pruning,
): Promise<Either<StoreUnavailable | NoLogKey | NotCovered, void>> => {
  const stored = await log.readTree()()
  if (isLeft(stored)) return stored
  const origin = originOfTree(stored.right, publicUrl)
  if (notes.verifierKeys(origin).length === 0) return left({ _tag: 'NoLogKey' })
  const signed = await openCheckpoint(notes, stored.right.note, notes.verifierKeys)
  const isCovered =
    isSome(signed) &&
    signed.value.origin === origin &&
    signed.value.size > through &&
    stored.right.size > through
  return isCovered ? right(undefined) : left({ _tag: 'NotCovered', position: through + 1 })
}

/** The files are an exported log, signed by a key of the service. It is this log, and has everything that is pruned. */
const checkFiles = async (
  { log, notes, treeDigests }: Dependencies,
  { through }: Pruning,
  files: LogFiles,
): Promise<Either<Exclude<PruneFailure, TooRecent>, void>> => {
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
    ? right(undefined)
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
  { store, log, timer }: Dependencies,
  pruning: Pruning,
): Promise<Either<StoreUnavailable, number>> => {
  const { through } = pruning
  const isPrunable = prunableBefore(timeOf(pruning))
  let deleted = 0
  for await (const page of prunedPages(store, through)) {
    if (isLeft(page)) return page
    const positions = page.right.filter(isPrunable).map(({ position }) => position)
    if (positions.length === 0) continue
    const begin = timer.now()
    const outcome = await log.pruneLog({ through, positions })()
    if (isLeft(outcome)) return outcome
    deleted += outcome.right
    await timer.until(2 * timer.now() - begin)()
  }
  return right(deleted)
}

/** The most rows that one transaction deletes. A page of the log has as many entries. */
const AT_ONCE = 1_000
