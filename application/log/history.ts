import { pipe } from 'fp-ts/lib/function.js'
import * as TE from 'fp-ts/lib/TaskEither.js'
import type { Clock, Timer } from '../ports/environment.ts'
import type { WritableLogFiles } from '../ports/log-files.ts'
import { treeOf } from '../ports/log-tree.ts'
import type { Store, StoreUnavailable } from '../ports/store.ts'
import type { Recorder, RequestContext } from '../recording/recorder.ts'
import { type ExportLog, exportLog } from './export-log.ts'
import { type MakeCheckpoint, makeCheckpoint } from './make-checkpoint.ts'
import { type AskedPruning, type PruneLog, pruneLog } from './prune-log.ts'
import { type HistoryDependencies, originOfTree } from './stored-tree.ts'
import { type VerifyLog, verifyLog } from './verify-log.ts'

/** What proves that the event log was not changed (docs/verify-log.md). */
export interface History {
  readonly makeCheckpoint: MakeCheckpoint
  readonly verifyLog: VerifyLog
  readonly exportLog: (folder: string) => ReturnType<ExportLog>
  readonly pruneLog: (
    asked: Readonly<{ folder: string }> & AskedPruning,
    context: RequestContext,
  ) => ReturnType<PruneLog>
  /** The verifier keys of the checkpoints. */
  readonly verifierKeys: TE.TaskEither<StoreUnavailable, ReadonlyArray<string>>
}

type Dependencies = HistoryDependencies &
  Readonly<{
    store: Store
    record: Recorder
    clock: Clock
    timer: Timer
    /** The files of an exported log in a folder. */
    filesIn: (folder: string) => WritableLogFiles
  }>

/** What makes the history of a store verifiable; undefined for a store without a tree. */
export const historyOf = (given: Dependencies): History | undefined => {
  const log = treeOf(given.store)
  if (log === undefined) return undefined
  const { filesIn, notes, publicUrl } = given
  const dependencies = { ...given, log }
  const exporting = exportLog(dependencies)
  const pruning = pruneLog(dependencies)
  return {
    makeCheckpoint: makeCheckpoint(dependencies),
    verifyLog: verifyLog(dependencies),
    exportLog: (folder) => exporting(filesIn(folder)),
    pruneLog: ({ folder, ...asked }, context) => pruning({ ...asked, files: filesIn(folder) }, context),
    verifierKeys: pipe(
      log.readTree(),
      TE.map((stored) => notes.verifierKeys(originOfTree(stored, publicUrl))),
    ),
  }
}
