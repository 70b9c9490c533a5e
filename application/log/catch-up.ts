import { type Either, isLeft, left, right } from 'fp-ts/lib/Either.js'
import { isNone, isSome, type Option } from 'fp-ts/lib/Option.js'
import type { TaskEither } from 'fp-ts/lib/TaskEither.js'
import type { ModelPruning, ModelState, ReadModel, ReadModelUnavailable } from '../ports/read-model.ts'
import type { LogEntry, Store, StoreUnavailable } from '../ports/store.ts'
import { eventPages } from '../recording/pages.ts'
import { modelEntryOf, modelRefusalsOf } from './entry-facts.ts'
import { ATTEMPTS } from './epochs.ts'
import { prunedPages } from './pruned-entries.ts'

/** A log, and the read model that follows it. */
export type ModelledLog = Readonly<{ store: Pick<Store, 'readEpoch' | 'readEvents'>; model: ReadModel }>

export type CatchUpFailure = StoreUnavailable | ReadModelUnavailable

/**
 * Brings a read model to the end of the log, and resolves with its state. It begins anew if the model follows another log: one of
 * another epoch, or one that has another entry at the position of the model, as after the restore of a raw copy.
 *
 * Several callers may do that at the same time: none writes behind a position that another one has left.
 *
 * @param onProgress receives the position after each page
 */
export const catchUp =
  (
    log: ModelledLog,
    onProgress: (position: number) => void = () => undefined,
  ): TaskEither<CatchUpFailure, ModelState> =>
  async () => {
    for (let attempt = 1; attempt <= ATTEMPTS; attempt += 1) {
      const began = await begin(log)
      if (isLeft(began)) return began
      const read = began.right && (await readOn(log, began.right, onProgress))
      if (read && isLeft(read)) return read
      const pruned = read?.right && (await dropPruned(log, read.right))
      if (pruned && isLeft(pruned)) return pruned
      if (pruned?.right) return right(pruned.right)
    }
    return left(CONTENDED)
  }

/** The log or the model changed too often. */
export const CONTENDED: ReadModelUnavailable = {
  _tag: 'ReadModelUnavailable',
  reason:
    'The read model changes all the time: another process builds it for another store. Give each store its own READ_MODEL, or try again.',
}

/** Whether the model still is what was caught up to. Another process may have begun anew. */
export const reaches = (state: Option<ModelState>, { epoch, position }: ModelState): boolean =>
  isSome(state) && state.value.epoch === epoch && state.value.position >= position

/** Undefined if the log or the model has changed meanwhile, so that the caller looks again. */
type Outcome<A> = Promise<Either<CatchUpFailure, A | undefined>>

/** The state of the model in this log: as it is, or new. */
const begin = async ({ store, model }: ModelledLog): Outcome<ModelState> => {
  for (;;) {
    const seen = await model.state()()
    if (isLeft(seen)) return seen
    const epoch = await store.readEpoch()()
    if (isLeft(epoch)) return epoch
    if (isSome(seen.right) && seen.right.value.epoch === epoch.right) {
      const follows = await isOfLog(store, seen.right.value)
      if (isLeft(follows)) return follows
      if (follows.right) return right(seen.right.value)
    }
    const began = await model.begin(epoch.right, seen.right)()
    if (isLeft(began)) return began
    // Otherwise another caller has begun or gone on: its state counts.
    if (began.right) return right({ epoch: epoch.right, position: 0, id: '', pruning: undefined })
  }
}

/** Whether the log has the entry at which the model ended. */
const isOfLog = async (
  store: Pick<Store, 'readEvents'>,
  { position, id }: ModelState,
): Promise<Either<StoreUnavailable, boolean>> => {
  if (position === 0) return right(true)
  const found = await store.readEvents({ after: position - 1, limit: 1 })()
  if (isLeft(found)) return found
  const [entry] = found.right
  return right(entry?.position === position && entry.id === id)
}

/** Follows the log to its end. */
const readOn = async (
  { store, model }: ModelledLog,
  begun: ModelState,
  onProgress: (position: number) => void,
): Outcome<ModelState> => {
  for (let state = begun; ; ) {
    let isOutrun = false
    for await (const page of eventPages(store, { after: state.position })) {
      if (isLeft(page)) return page
      const now = await store.readEpoch()()
      if (isLeft(now)) return now
      if (now.right !== state.epoch) return right(undefined)
      if (page.right.length === 0) continue
      const to = stateAfter(state, page.right)
      const entries = page.right.map(modelEntryOf)
      const advanced = await model.advance(state, {
        to,
        entries,
        refusals: page.right.flatMap(modelRefusalsOf),
      })()
      if (isLeft(advanced)) return advanced
      isOutrun = !advanced.right
      if (isOutrun) break
      state = to
      onProgress(state.position)
    }
    if (!isOutrun) return right(state)
    const other = await model.state()()
    if (isLeft(other)) return other
    const isBehind = isNone(other.right) || other.right.value.position <= state.position
    if (isBehind || other.right.value.epoch !== state.epoch) return right(undefined)
    state = other.right.value
  }
}

const stateAfter = ({ epoch, pruning }: ModelState, entries: ReadonlyArray<LogEntry>): ModelState => {
  const last = entries[entries.length - 1] as LogEntry
  const prunings = entries.flatMap((entry) => (entry.type === 'LogPruned' ? [entry.data] : []))
  return { epoch, position: last.position, id: last.id, pruning: prunings.reduce(further, pruning) }
}

/** Of two prunings, the one that goes further. The newer one counts the entries of both. */
const further = (
  former: ModelPruning | undefined,
  { through, entries }: ModelPruning,
): ModelPruning | undefined =>
  former === undefined || through >= former.through ? { through, entries } : former

/**
 * Removes what the log has pruned. `LogPruned` comes before the deletion of the entries, which takes a while and may be interrupted. So
 * the model remembers the pruning until as many entries are gone as it says.
 */
const dropPruned = async ({ store, model }: ModelledLog, state: ModelState): Outcome<ModelState> => {
  const { epoch, pruning } = state
  if (pruning === undefined) return right(state)
  const { through, entries } = pruning
  const before = await model.count(through)()
  if (isLeft(before)) return before
  if (before.right > through - entries) {
    const dropped = await dropMissing({ store, model }, epoch, through)
    if (isLeft(dropped)) return dropped
    if (!dropped.right) return right(undefined)
  }
  const now = await model.count(through)()
  if (isLeft(now)) return now
  if (now.right > through - entries) return right(state) // the deletion goes on
  const to = { ...state, pruning: undefined }
  const forgotten = await model.advance(state, { to, entries: [], refusals: [] })()
  return isLeft(forgotten) ? forgotten : right(to) // another caller that was faster remembers it, and looks itself
}

/** Removes from the model what the log no longer has. It resolves with false if the epoch has changed meanwhile. */
const dropMissing = async (
  { store, model }: ModelledLog,
  epoch: string,
  through: number,
): Promise<Either<CatchUpFailure, boolean>> => {
  let after = 0
  for await (const page of prunedPages(store, through)) {
    if (isLeft(page)) return page
    const now = await store.readEpoch()()
    if (isLeft(now)) return now
    if (now.right !== epoch) return right(false)
    const positions = page.right.map(({ position }) => position)
    const last = positions.at(-1) ?? after
    const kept = await model.keepOnly({ epoch, after, through: last, positions })()
    if (isLeft(kept)) return kept
    after = last
  }
  const rest = await model.keepOnly({ epoch, after, through, positions: [] })()
  return isLeft(rest) ? rest : right(true)
}
