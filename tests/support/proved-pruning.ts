import { isNone } from 'fp-ts/lib/Option.js'
import { ed25519Notes } from '../../adapters/credentials/signing/notes.ts'
import { originOfTree } from '../../application/log/stored-tree.ts'
import { treeOf } from '../../application/ports/log-tree.ts'
import type { Store } from '../../application/ports/store.ts'
import type { Pruning } from '../../application/recording/events/service-events.ts'
import { runsOf } from '../../domain/position-runs.ts'
import { proofText } from '../../domain/pruning-proof.ts'
import { LOG_SECRET, type Signer } from './integration.ts'
import { succeed } from './outcome.ts'

/** What a `LogPruned` says that removes these positions: signed for the tree of the store as it is now. */
export const provedPruning = async (
  store: Store,
  positions: ReadonlyArray<number>,
  { keys = [{ secret: LOG_SECRET }], publicUrl = 'https://id.example.com' }: Signer = {},
): Promise<Pruning> => {
  const log = treeOf(store)
  if (log === undefined) throw new Error('the store has no tree')
  const tree = await succeed(log.readTree())
  const origin = originOfTree(tree, publicUrl)
  const checkpoint = { origin, size: tree.size, root: tree.root }
  const proof = await ed25519Notes(keys).sign(proofText({ checkpoint, removed: runsOf(positions) }), origin)
  if (isNone(proof)) throw new Error('no key signs')
  return {
    before: '2100-01-01T00:00:00.000Z',
    through: Math.max(...positions),
    entries: positions.length,
    proof: proof.value,
  }
}
