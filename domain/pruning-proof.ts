import { isNone, none, type Option, some } from 'fp-ts/lib/Option.js'
import { type Checkpoint, checkpointText, parseCheckpoint } from './checkpoint.ts'
import { parseRuns, type Runs, runsText } from './position-runs.ts'

/**
 * What the key of the log signs before entries are removed: exactly which positions, of which log. The checkpoint covers them, and
 * another log has another root. So the proof counts for no other log and for no other positions.
 */
export type PruningProof = Readonly<{ checkpoint: Checkpoint; removed: Runs }>

/** With this first line it is not a checkpoint, which has a number in its second line. */
const TITLE = 'Entries pruned from this log:\n'

export const proofText = ({ checkpoint, removed }: PruningProof): string =>
  `${TITLE}${checkpointText(checkpoint)}${runsText(removed)}\n`

/** Reads what `proofText` writes. */
export const parseProof = (text: string): Option<PruningProof> => {
  const [, origin, size, root, numbers = ''] = text.split('\n', 5)
  const checkpoint = parseCheckpoint(`${origin}\n${size}\n${root}\n`)
  const removed = parseRuns(numbers)
  if (isNone(checkpoint) || removed === undefined) return none
  const proof = { checkpoint: checkpoint.value, removed }
  return proofText(proof) === text ? some(proof) : none
}

/** The name of the keys that sign a proof: its origin. */
export const originOfProof = (note: string): string => note.split('\n', 2)[1] ?? ''

/** The most characters that name positions in one proof. So its entry takes a fourth of what an entry may have. */
export const POSITIONS_LENGTH = 16_000
