import { hash } from 'node:crypto'
import { exportLog } from '../../application/history/export-log.ts'
import { makeCheckpoint } from '../../application/history/make-checkpoint.ts'
import { verifyExport } from '../../application/history/verify-export.ts'
import { verifyLog } from '../../application/history/verify-log.ts'
import { linesOf } from '../../application/ports/log-lines.ts'
import type { Store } from '../../application/ports/store.ts'
import type { TreeDigests } from '../../application/ports/tree-digests.ts'
import { originOf } from '../../domain/checkpoint.ts'
import type { Settings } from '../config/settings.ts'
import { logFolder } from '../driven/node/log-files.ts'
import { ed25519Notes } from '../driven/signing/notes.ts'
import type { Composition, History } from '../driving/cli/composition.ts'

const treeDigests: TreeDigests = {
  sha256: (bytes) => hash('sha256', bytes, 'buffer'),
  base64: (bytes) => Buffer.from(bytes).toString('base64'),
}

/** What makes the history of a store verifiable; undefined for a store that has no lines. */
export const historyOf = (store: Store, { eventLogKeys, publicUrl }: Settings): History | undefined => {
  const lines = linesOf(store)
  if (lines === undefined) return undefined
  const notes = ed25519Notes(eventLogKeys)
  const dependencies = { log: { store, lines }, notes, treeDigests, publicUrl }
  const exporting = exportLog(dependencies)
  return {
    makeCheckpoint: makeCheckpoint(dependencies),
    verifyLog: verifyLog(dependencies),
    exportLog: (folder) => exporting(logFolder(folder)),
    verifierKeys: (epoch) => notes.verifierKeys(originOf(publicUrl, epoch)),
  }
}

export const verifyExportAt: Composition['verifyExport'] = (folder, given) =>
  verifyExport({ notes: ed25519Notes([]), treeDigests })(logFolder(folder), given)
