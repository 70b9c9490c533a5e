import type { ExportFailure } from '../../application/log/export-log.ts'
import type { History } from '../../application/log/history.ts'
import type { PruneFailure } from '../../application/log/prune-log.ts'
import type { WrongExport } from '../../application/log/verify-export.ts'
import type { RenewedMeanwhile } from '../../application/log/verify-log.ts'
import type { StoreUnavailable } from '../../application/ports/store.ts'
import type { Operations } from './composition.ts'
import { CommandFailed } from './exit.ts'
import { printableOnLine } from './printable.ts'

/** @throws CommandFailed for a store without a tree */
export const verifiable = ({ history }: Operations): History => {
  if (history === undefined) throw new CommandFailed(`${NO_TREE}.`)
  return history
}

type HistoryFailure = Exclude<ExportFailure | PruneFailure | RenewedMeanwhile | WrongExport, StoreUnavailable>

export const historySentence = (failure: HistoryFailure): string => printableOnLine(sentenceOf(failure))

const sentenceOf = (failure: HistoryFailure): string => {
  switch (failure._tag) {
    case 'DamagedLog':
      return `The log is damaged: ${failure.finding}. Run doctor, and restore a back-up.`
    case 'RenewedMeanwhile':
      return 'The log was renewed meanwhile. Try again.'
    case 'NoLogKey':
      return NO_LOG_KEY
    case 'FilesUnavailable':
      return `The exported log is unavailable: ${failure.reason}.`
    case 'OtherExport':
      return failure.checkpoint === undefined
        ? 'The folder contains a checkpoint that no key of EVENT_LOG_KEY has signed. Nothing was changed. Name another folder.'
        : `The folder contains the log of ${failure.checkpoint.origin} with ${failure.checkpoint.size} entries, and this log does not continue it. Nothing was changed. Verify the log (events verify), or name another folder.`
    case 'WrongExport':
      return `The exported log is wrong: ${failure.finding}.`
    case 'PrunedBundle':
      return `Entries up to position ${failure.through} were pruned, and the folder lacks them. Continue the folder that events prune was given, or a copy of it.`
    case 'TooRecent':
      return 'The date must be at least two days ago. A year ago is usual.'
    case 'Interrupted':
      return `The store failed: ${failure.reason}. A part of the entries may be deleted, and the log is in order. Run the command again: it continues.`
    case 'NotCovered':
      return `The signed checkpoint in the store does not cover position ${failure.position} yet. Nothing was changed. Start the server with EVENT_LOG_KEY, wait a few seconds, and try again.`
    case 'NotExported':
      return `The exported log ends at position ${failure.size}, and position ${failure.through} would be pruned. Nothing was changed. Run events export with this folder first.`
  }
}

export const NO_LOG_KEY =
  'No key signs checkpoints. Set EVENT_LOG_KEY to ID:SECRET (make a secret: openssl rand -hex 32), and keep it outside of the store.'

/** Without full stop. */
export const NO_TREE = 'The history of this store is not verifiable: it does not implement LogTree'
