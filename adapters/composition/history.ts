import { hash } from 'node:crypto'
import { pipe } from 'fp-ts/lib/function.js'
import * as TE from 'fp-ts/lib/TaskEither.js'
import { exportLog } from '../../application/log/export-log.ts'
import { integrateLog } from '../../application/log/integrate-log.ts'
import { makeCheckpoint } from '../../application/log/make-checkpoint.ts'
import { pruneLog } from '../../application/log/prune-log.ts'
import { publishedLog } from '../../application/log/published-log.ts'
import { type HistoryDependencies, originOfTree } from '../../application/log/stored-tree.ts'
import { verifyExport } from '../../application/log/verify-export.ts'
import { verifyLog } from '../../application/log/verify-log.ts'
import type { Clock, Timer } from '../../application/ports/environment.ts'
import { treeOf } from '../../application/ports/log-tree.ts'
import type { Store } from '../../application/ports/store.ts'
import type { TreeDigests } from '../../application/ports/tree-digests.ts'
import type { Recorder } from '../../application/recording/recorder.ts'
import { type Composition, type History, isUrl } from '../cli/composition.ts'
import type { Settings } from '../config/settings.ts'
import { ed25519Notes } from '../credentials/signing/notes.ts'
import { logFolder } from '../node/log-files.ts'
import { logAtUrl } from '../node/log-url.ts'
import { Dependency } from './dependencies.ts'
import { type Module, provide } from './provide.ts'

const treeDigests: TreeDigests = {
  sha256: (bytes) => hash('sha256', bytes, 'buffer'),
  base64: (bytes) => Buffer.from(bytes).toString('base64'),
}

type HistoryNeeds = Readonly<{
  store: Store
  settings: Settings
  record: Recorder
  clock: Clock
  timer: Timer
}>

/** What makes the history of a store verifiable; undefined for a store without a tree. */
export const historyOf = ({ settings, store, ...needs }: HistoryNeeds): History | undefined => {
  const log = treeOf(store)
  if (log === undefined) return undefined
  const dependencies = { ...historyDependencies(settings), ...needs, store, log }
  const { notes, publicUrl } = dependencies
  const exporting = exportLog(dependencies)
  const pruning = pruneLog(dependencies)
  return {
    makeCheckpoint: makeCheckpoint(dependencies),
    verifyLog: verifyLog(dependencies),
    exportLog: (folder) => exporting(logFolder(folder)),
    pruneLog: ({ folder, beforeSeconds }, context) =>
      pruning({ beforeSeconds, files: logFolder(folder) }, context),
    verifierKeys: pipe(
      log.readTree(),
      TE.map((stored) => notes.verifierKeys(originOfTree(stored, publicUrl))),
    ),
  }
}

const historyDependencies = ({ eventLogKeys, publicUrl }: Settings): HistoryDependencies => ({
  notes: ed25519Notes(eventLogKeys),
  treeDigests,
  publicUrl,
})

/** Keeps the tree of the log up to date. Only a service that listens starts it. */
export const integrating: Module = provide(
  Dependency.logIntegration,
  {
    store: Dependency.store,
    settings: Dependency.settings,
    background: Dependency.background,
    log: Dependency.log,
    meters: Dependency.meters,
  },
  ({ store, settings, background, log, meters }) => {
    const tree = treeOf(store)
    if (tree === undefined) return { start: () => {} }
    return integrateLog({
      ...historyDependencies(settings),
      ...{ log: tree, background },
      observer: {
        looked: meters.logEntriesPending,
        passed: meters.logSignerWorks,
        stopped: (finding) => {
          meters.logSignerStopped()
          log.error({ cause: finding }, 'no checkpoint is signed: the event log or its tree is damaged')
        },
        failed: ({ reason }) => log.warn({ cause: reason }, 'the tree of the event log was not extended'),
      },
    })
  },
)

/** The log as others fetch it. Undefined for a store without a tree. */
export const publishing: Module = provide(
  Dependency.publishedLog,
  { store: Dependency.store, settings: Dependency.settings },
  ({ store, settings: { publicUrl } }) => {
    const log = treeOf(store)
    return log === undefined ? undefined : publishedLog({ log, publicUrl })
  },
)

export const verifyExportAt: Composition['verifyExport'] = ({ from, token }, given) =>
  verifyExport({ notes: ed25519Notes([]), treeDigests })(
    isUrl(from) ? logAtUrl(from, token) : logFolder(from),
    given,
  )
