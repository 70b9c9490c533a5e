import { type Either, isLeft, left, right } from 'fp-ts/lib/Either.js'
import { pipe } from 'fp-ts/lib/function.js'
import * as TE from 'fp-ts/lib/TaskEither.js'
import { type LogCursor, type OtherEpoch, positionInLog, type Renewal } from '../../domain/log-cursor.ts'
import { type LogTree, treeOf } from '../ports/log-tree.ts'
import type { Store, StoreUnavailable } from '../ports/store.ts'
import { eventPages } from '../recording/pages.ts'

type Log = Pick<Store, 'readEpoch' | 'readEvents'> & Partial<LogTree>

/** The epoch of the log, and the position up to which entries may be missing, both as of one moment. */
export type LogState = Readonly<{ epoch: string; pruned: number }>

export type ReadLogState = TE.TaskEither<StoreUnavailable, LogState>

/** A store without a tree cannot prune its log. */
export const readLogState = (store: Pick<Store, 'readEpoch'> & Partial<LogTree>): ReadLogState => {
  const tree = treeOf(store)
  const state = () => (tree === undefined ? withoutTree(store) : tree.readTree())
  return () => state()() // each time anew
}

const withoutTree = (store: Pick<Store, 'readEpoch'>): ReadLogState =>
  pipe(
    store.readEpoch(),
    TE.map((epoch) => ({ epoch, pruned: 0 })),
  )

/**
 * Reads from the log of one epoch. If the epoch changes meanwhile, what was read may be of either log, so it reads again. The result
 * counts if the epoch was the same before and after. It comes with the state after.
 *
 * @param known an earlier answer of `readState`. It counts like one just before `read`, because a replaced epoch never returns
 */
export const inOneEpoch = async <Failure, A>(
  readState: ReadLogState,
  read: (before: LogState) => Promise<Either<Failure, A>>,
  known?: LogState,
): Promise<Either<Failure | StoreUnavailable, Readonly<{ found: A; after: LogState }>>> => {
  let before = known === undefined ? await readState() : right(known)
  for (let attempt = 1; attempt <= ATTEMPTS; attempt += 1) {
    if (isLeft(before)) return before
    const found = await read(before.right)
    const after = await readState()
    if (isLeft(after)) return after
    if (after.right.epoch === before.right.epoch)
      return isLeft(found) ? found : right({ found: found.right, after: after.right })
    before = after
  }
  return left(EPOCH_CHANGES)
}

/** Renewals are rare. */
export const ATTEMPTS = 3

export const EPOCH_CHANGES: StoreUnavailable = {
  _tag: 'StoreUnavailable',
  reason: 'the epoch of the log changed meanwhile',
}

/** Returns the position of a cursor in the log of the current epoch. */
export type FindPosition = (
  cursor: LogCursor,
  epoch: string,
) => Promise<Either<OtherEpoch | StoreUnavailable, number>>

/** For cursors of earlier epochs it searches the whole log for renewals, once in each epoch. Concurrent calls share the search. */
export const findPosition = (store: Log): FindPosition => {
  let known: Readonly<{ epoch: string; search: ReturnType<typeof search> }> | undefined
  const search = () => inOneEpoch(readLogState(store), () => readRenewals(store))

  return async ({ epoch: expected, position }, epoch) => {
    if (expected === undefined || expected === epoch) return right(position)
    if (known?.epoch !== epoch) known = { epoch, search: search() }
    const current = known
    const searched = await current.search
    if (!isLeft(searched) && searched.right.after.epoch === epoch)
      return positionInLog({ epoch, renewals: searched.right.found }, { epoch: expected, position })
    if (known === current) known = undefined
    return isLeft(searched) ? searched : left(EPOCH_CHANGES) // the search met another epoch
  }
}

/** Returns all renewals in the order of the log. */
export const readRenewals = async (
  store: Pick<Log, 'readEvents'>,
): Promise<Either<StoreUnavailable, ReadonlyArray<Renewal>>> => {
  const renewals: Array<Renewal> = []
  for await (const page of eventPages(store, { after: 0, type: 'LogRenewed' })) {
    if (isLeft(page)) return page
    for (const { type, data, actor } of page.right)
      if (type === 'LogRenewed')
        renewals.push({ ended: data.previous_origin, size: data.size, isByStore: actor.kind === 'nobody' })
  }
  return right(renewals)
}
