import { type Either, isLeft, right } from 'fp-ts/lib/Either.js'
import { isNone, isSome } from 'fp-ts/lib/Option.js'
import { type Runs, union } from '../../domain/position-runs.ts'
import { originOfProof, parseProof } from '../../domain/pruning-proof.ts'
import type { LogTree } from '../ports/log-tree.ts'
import type { Store, StoreUnavailable } from '../ports/store.ts'
import type { Pruning } from '../recording/events/service-events.ts'
import { eventPages, pages } from '../recording/pages.ts'
import { type DamagedLog, damaged } from './append-entries.ts'
import { type HistoryDependencies, treeAt } from './stored-tree.ts'

type Log = Pick<Store, 'readEvents'>

/** Returns what the entries `LogPruned` behind a position say, in their order. */
export const readPrunings = async (
  store: Log,
  after = 0,
): Promise<Either<StoreUnavailable, ReadonlyArray<Pruning>>> => {
  const found: Array<Pruning> = []
  for await (const page of eventPages(store, { after, type: 'LogPruned' })) {
    if (isLeft(page)) return page
    for (const entry of page.right) if (entry.type === 'LogPruned') found.push(entry.data)
  }
  return right(found)
}

/** The entries up to a position, in pages. */
export const prunedPages = (store: Log, through: number) =>
  pages(
    (after: number, limit: number) => store.readEvents({ after, through, limit }),
    0,
    ({ position }) => position,
  )

/** What opens the proofs of prunings: the tree tells the roots of the log. */
export type ProofDependencies = Pick<HistoryDependencies, 'notes' | 'treeDigests'> &
  Readonly<{ log: Pick<LogTree, 'readTile' | 'readTree'> }>

/** The positions that are proved by a signature of any key of the service, of every key, and of some only. */
export type ProvedPositions = Readonly<{ byAny: Runs; byEvery: Runs; bySome: ReadonlyArray<ProvedBySome> }>

/** What a proof says that not every key has signed. A key is named as in the lines of `events key`. */
export type ProvedBySome = Readonly<{ keys: ReadonlyArray<string>; positions: Runs }>

export const NONE_PROVED: ProvedPositions = { byAny: [], byEvery: [], bySome: [] }

/**
 * Returns the positions whose entries the service has removed, or is about to remove. A `LogPruned` counts only with its proof: a key of
 * `EVENT_LOG_KEY` has signed it, and this log has the root that it names. Any other may be of a writer to the database, or of another log.
 *
 * It is `DamagedLog` if the tree lacks what a signed proof is compared with, or if no key can open any.
 */
export const provedPositions = async (
  dependencies: ProofDependencies,
  prunings: ReadonlyArray<Pruning>,
): Promise<Either<StoreUnavailable | DamagedLog, ProvedPositions>> => {
  const { notes, treeDigests, log } = dependencies
  if (prunings.length === 0) return right(NONE_PROVED)
  if (notes.verifierKeys('').length === 0)
    return damaged('EVENT_LOG_KEY is not set, and only its signature proves what was pruned')
  const stored = await log.readTree()()
  if (isLeft(stored)) return stored
  const byAny: Array<Runs> = []
  const byEvery: Array<Runs> = []
  const bySome: Array<ProvedBySome> = []
  for (const { proof } of prunings) {
    const keys = notes.verifierKeys(originOfProof(proof))
    const opened = await Promise.all(keys.map((key) => notes.open(proof, [key])))
    const signed = opened.find(isSome)
    const read = signed === undefined ? undefined : parseProof(signed.value)
    if (read === undefined || isNone(read) || read.value.checkpoint.size > stored.right.size) continue
    const { checkpoint, removed } = read.value
    const at = await treeAt(log, checkpoint.size, treeDigests)
    if (isLeft(at)) return at
    if (treeDigests.base64(at.right.tree.root()) !== checkpoint.root) continue
    byAny.push(removed)
    if (opened.every(isSome)) byEvery.push(removed)
    else {
      const signers = keys.filter((_, index) => opened[index] !== undefined && isSome(opened[index]))
      bySome.push({ keys: signers, positions: removed })
    }
  }
  return right({ byAny: union(byAny), byEvery: union(byEvery), bySome })
}
