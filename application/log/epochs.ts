import { type Either, isLeft, left, right } from 'fp-ts/lib/Either.js'
import { type LogCursor, type OtherEpoch, positionInLog, type Renewal } from '../../domain/log-cursor.ts'
import type { Store, StoreUnavailable } from '../ports/store.ts'
import { eventPages } from '../recording/pages.ts'

type Log = Pick<Store, 'readEpoch' | 'readEvents'>

/**
 * Reads from the log of one epoch. If the epoch changes meanwhile, what was read may be of either log, so it reads again. The result
 * counts if the epoch was the same before and after.
 */
export const inOneEpoch = async <Failure, A>(
  store: Pick<Log, 'readEpoch'>,
  read: (epoch: string) => Promise<Either<Failure, A>>,
): Promise<Either<Failure | StoreUnavailable, A>> => {
  for (let attempt = 1; attempt <= ATTEMPTS; attempt += 1) {
    const began = await store.readEpoch()()
    if (isLeft(began)) return began
    const found = await read(began.right)
    const ended = await store.readEpoch()()
    if (isLeft(ended)) return ended
    if (ended.right === began.right) return found
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
  const search = () =>
    inOneEpoch(store, async (epoch) => {
      const renewals = await readRenewals(store)
      return isLeft(renewals) ? renewals : right({ epoch, renewals: renewals.right })
    })

  return async ({ epoch: expected, position }, epoch) => {
    if (expected === undefined || expected === epoch) return right(position)
    if (known?.epoch !== epoch) known = { epoch, search: search() }
    const current = known
    const log = await current.search
    if (!isLeft(log) && log.right.epoch === epoch)
      return positionInLog(log.right, { epoch: expected, position })
    if (known === current) known = undefined
    return isLeft(log) ? log : left(EPOCH_CHANGES) // the search met another epoch
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
