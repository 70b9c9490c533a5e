import { type Either, isLeft, left, right } from 'fp-ts/lib/Either.js'
import type { TaskEither } from 'fp-ts/lib/TaskEither.js'
import type { StoreUnavailable } from '../ports/store.ts'
import type {
  Copy,
  CopyPart,
  CopyState,
  LockedSource,
  StoreContents,
  StoreCopy,
} from '../ports/store-copy.ts'
import type { TreeDigests } from '../ports/tree-digests.ts'
import { type Difference, differenceOf } from './compare-stores.ts'
import { type CopySide, type CopySides, type SideUnavailable, sideUnavailable } from './sides.ts'

/**
 * Copies a store into an empty one, and closes it. Everything issued stays valid, because log, keys and rows go on at the target.
 *
 * At each moment at most one of both accepts changes. Killed before the source is marked, the copy has changed nothing there, and a
 * repetition begins again. Killed after that, a repetition completes the target.
 */
export type CopyStore = (
  sides: CopySides,
  onProgress?: OnCopyProgress,
) => TaskEither<CopyFailure, CopiedStore>

/** `isRepeated`: an earlier call has copied everything. */
export type CopiedStore = Readonly<{ copyId: string; contents: StoreContents; isRepeated: boolean }>

/** Of about `total` items, `done` are copied or compared. */
export type OnCopyProgress = (
  progress: Readonly<{ part: CopyPart | 'comparison'; done: number; total: number }>,
) => void

export type CopyFailure =
  | SideUnavailable
  | Difference
  | Readonly<{ _tag: 'SameStore' }>
  /** The source is the target of another copy, which is not complete. */
  | Readonly<{ _tag: 'SourceIncomplete'; place: string }>
  /** The source has moved, and the target is not the store that it has moved to. */
  | Readonly<{ _tag: 'SourceMoved'; place: string }>
  /** The target has contents, an unfinished copy of another store, or has moved. */
  | Readonly<{ _tag: 'TargetNotEmpty'; copyState: CopyState }>
  /** The source has moved, but the target does not have what the source has. Both stay closed. `what` is the end of a sentence. */
  | Readonly<{ _tag: 'TargetLost'; what: string }>
  /** The source has moved, but the target is not complete yet: a repetition completes it. */
  | Readonly<{ _tag: 'NotCompleted'; reason: string }>

export const copyStore =
  ({ treeDigests, newId }: Readonly<{ treeDigests: TreeDigests; newId: () => string }>): CopyStore =>
  (sides, onProgress = () => {}) =>
  async () => {
    const { source, target } = sides
    const [from, to] = [await source.storeCopy.readCopyState()(), await target.storeCopy.readCopyState()()]
    if (isLeft(from)) return left(sideUnavailable('source', from.left))
    if (isLeft(to)) return left(sideUnavailable('target', to.left))
    if (from.right.state === 'moved')
      return finish({ ...sides, treeDigests, onProgress }, { moved: from.right, copyState: to.right })
    if (from.right.state === 'incomplete') return left({ _tag: 'SourceIncomplete', place: from.right.place })
    if (to.right.state === 'open') {
      const isSame = await areSame(sides)
      if (isLeft(isSame)) return isSame
      if (isSame.right) return left({ _tag: 'SameStore' })
    }
    const id = newId()
    const copied = await source.storeCopy.lock({ id, place: target.place }, (locked) =>
      copyLocked({ ...sides, copy: { id, place: source.place }, locked, treeDigests, onProgress }),
    )()
    if (isLeft(copied)) return left(ofLock(copied.left))
    return complete(target, { copyId: id, contents: copied.right, isRepeated: false })
  }

/** Two stores have different epochs, unless one is a copy of the other. */
const areSame = async ({ source, target }: CopySides): Promise<Either<SideUnavailable, boolean>> => {
  const from = await source.store.readEpoch()()
  if (isLeft(from)) return left(sideUnavailable('source', from.left))
  const to = await target.store.readEpoch()()
  return isLeft(to) ? left(sideUnavailable('target', to.left)) : right(from.right === to.right)
}

type Finished = CopySides & Readonly<{ treeDigests: TreeDigests; onProgress: OnCopyProgress }>

/** The source is marked already: only the target may need to be completed. */
const finish = async (
  given: Finished,
  {
    moved: { copyId, place },
    copyState,
  }: Readonly<{ moved: Extract<CopyState, { place: string }>; copyState: CopyState }>,
): Promise<Either<CopyFailure, CopiedStore>> => {
  const { target } = given
  if (copyState.copyId !== copyId || copyState.state === 'moved') return left({ _tag: 'SourceMoved', place })
  if (copyState.state === 'incomplete') {
    const settled = await target.storeCopy.settle(copyId)()
    if (isLeft(settled)) return left(notCompleted(sideUnavailable('target', settled.left)))
  }
  const contents = await target.storeCopy.readContents()()
  if (isLeft(contents)) return left(notCompleted(sideUnavailable('target', contents.left)))
  const loss = copyState.state === 'incomplete' ? await lossOf(given, contents.right) : undefined
  return loss === undefined
    ? complete(target, { copyId, contents: contents.right, isRepeated: true })
    : left(loss)
}

/**
 * Compares the incomplete target with the source, which may be read. Since the source was marked, the target may have lost pages: a
 * snapshot was restored, or a standby without them became the primary.
 */
const lossOf = async (
  { onProgress, ...given }: Finished,
  found: StoreContents,
): Promise<CopyFailure | undefined> => {
  const contents = await given.source.storeCopy.readContents()()
  if (isLeft(contents)) return notCompleted(sideUnavailable('source', contents.left))
  // A service that has not stopped yet may still change the failure counts of the source.
  const expected = { ...contents.right, items: { ...contents.right.items, counts: found.items.counts } }
  const total = 2 * expected.last
  const difference = await differenceOf({ ...given, expected }, (done) =>
    onProgress({ part: 'comparison', done, total }),
  )
  if (difference === undefined) return undefined
  return difference._tag === 'Different'
    ? { _tag: 'TargetLost', what: difference.what }
    : notCompleted(difference)
}

const notCompleted = ({ side, reason }: SideUnavailable): CopyFailure => ({
  _tag: 'NotCompleted',
  reason: side === 'source' ? `the source is unavailable: ${reason}` : reason,
})

const complete = async (target: CopySide, copied: CopiedStore): Promise<Either<CopyFailure, CopiedStore>> => {
  const completed = await target.storeCopy.complete(copied.copyId)()
  return isLeft(completed) ? left({ _tag: 'NotCompleted', reason: completed.left.reason }) : right(copied)
}

type Locked = CopySides &
  Readonly<{ copy: Copy; locked: LockedSource; treeDigests: TreeDigests; onProgress: OnCopyProgress }>

/** Fills the target while the source is locked, and compares both. */
const copyLocked = async (given: Locked): Promise<Either<CopyFailure, StoreContents>> => {
  const { target, copy, locked, onProgress } = given
  const { contents } = locked
  const begun = await target.storeCopy.begin(copy, contents)()
  if (isLeft(begun))
    return begun.left._tag === 'NotEmpty'
      ? left({ _tag: 'TargetNotEmpty', copyState: begun.left.copyState })
      : left(sideUnavailable('target', begun.left))
  const total = Object.values(contents.items).reduce((sum, items) => sum + items, 2 * contents.last)
  let done = 0
  let counts = 0 // unreadable ones are left out
  let writing: ReturnType<ReturnType<StoreCopy['write']>> = Promise.resolve(right(undefined))
  for await (const page of locked.pages()) {
    const before = await writing // this page was read meanwhile
    if (isLeft(before)) return left(sideUnavailable('target', before.left))
    if (isLeft(page)) return left(sideUnavailable('source', page.left))
    writing = target.storeCopy.write(copy.id, page.right)()
    const size = sizeOf(page.right)
    done += size
    if (page.right.part === 'counts') counts += size
    onProgress({ part: page.right.part, done, total })
  }
  const written = await writing
  if (isLeft(written)) return left(sideUnavailable('target', written.left))
  const settled = await target.storeCopy.settle(copy.id)() // before the comparison, which would otherwise miss a loss
  if (isLeft(settled)) return left(sideUnavailable('target', settled.left))
  const expected = { ...contents, items: { ...contents.items, counts } }
  const difference = await differenceOf({ ...given, expected }, (compared) =>
    onProgress({ part: 'comparison', done: done + compared, total }),
  )
  return difference === undefined ? right(expected) : left(difference)
}

const sizeOf = (page: Parameters<StoreCopy['write']>[1]): number => {
  switch (page.part) {
    case 'log':
      return page.entries.length
    case 'tiles':
      return page.tiles.length
    case 'counts':
      return page.counts.length
    default:
      return page.rows.length
  }
}

/** What `lock` reports. A state that another copy has set meanwhile is like one from before. */
const ofLock = (
  failure: CopyFailure | Readonly<{ _tag: 'NotOpen'; copyState: CopyState }> | StoreUnavailable,
): CopyFailure => {
  if (failure._tag === 'StoreUnavailable') {
    const { reason, outcome } = failure
    return { _tag: 'SideUnavailable', side: 'source', reason, isUnsure: outcome === 'unknown' }
  }
  if (failure._tag !== 'NotOpen') return failure
  const { copyState } = failure
  const place = 'place' in copyState ? copyState.place : ''
  return { _tag: copyState.state === 'incomplete' ? 'SourceIncomplete' : 'SourceMoved', place }
}
