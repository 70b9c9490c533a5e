import assert from 'node:assert/strict'
import { type Either, isLeft, isRight } from 'fp-ts/lib/Either.js'
import type { TaskEither } from 'fp-ts/lib/TaskEither.js'
import type { Change, LogEntry, Store } from '../../application/ports/store.ts'

/** What a task came to, when it has to go well. */
export const ok = async <E, A>(task: TaskEither<E, A>): Promise<A> => {
  const outcome = await task()
  if (isLeft(outcome)) {
    const message = `it failed: ${JSON.stringify(outcome.left)}`
    throw new assert.AssertionError({ message, expected: 'that it is done', actual: outcome.left })
  }
  return outcome.right
}

/**
 * That a task fails, with exactly this.
 *
 * @param about is said where it fails otherwise: what was asked for, if the case asks for many things
 */
export const refused = async <E extends Failure, A>(
  task: TaskEither<E, A>,
  expected: NoInfer<E>,
  about?: string,
): Promise<void> => {
  assert.deepEqual(await failureOf(task, expected, about), expected, about)
}

/** What a task failed with, when it has to fail because it cannot be done now: the reason is the adapter's own. */
export const unavailable = async <E extends Failure, A>(
  task: TaskEither<E, A>,
): Promise<Extract<E, typeof UNAVAILABLE>> => {
  const failure = await failureOf(task, UNAVAILABLE)
  assert.equal(failure._tag, UNAVAILABLE._tag)
  return failure as Extract<E, typeof UNAVAILABLE>
}

type Failure = Readonly<{ _tag: string }>

const UNAVAILABLE = { _tag: 'StoreUnavailable' } as const

const failureOf = async <E, A>(task: TaskEither<E, A>, expected: Failure, about?: string): Promise<E> => {
  const outcome = await task()
  if (isRight(outcome)) {
    const message = `it succeeded: ${about ?? JSON.stringify(outcome.right)}`
    throw new assert.AssertionError({ message, expected, actual: outcome }) // of one kind, or mocha shows neither
  }
  return outcome.left
}

/** Commits changes one after the other, all of which have to go well. */
export const commitAll = async (store: Store, ...changes: ReadonlyArray<Change>): Promise<void> => {
  for (const change of changes) await ok(store.commit(change))
}

/** Commits all of them at once; the outcomes in the same order. */
export const commitAtOnce = (store: Store, changes: ReadonlyArray<Change>) => commitAcross([store], changes)

/** Commits all of them at once, each through the next handle in turn; the outcomes in the same order. */
export const commitAcross = (
  handles: readonly [Store, ...ReadonlyArray<Store>],
  changes: ReadonlyArray<Change>,
) =>
  Promise.all(
    changes.map((change, index) => (handles[index % handles.length] ?? handles[0]).commit(change)()),
  )

/** The whole log of a test, which is never long. */
export const wholeLog = (store: Store): Promise<ReadonlyArray<LogEntry>> =>
  ok(store.readEvents({ after: 0, limit: 10_000 }))

/** 'success' or the failure's tag, counted. */
export const tally = (outcomes: ReadonlyArray<Either<{ _tag: string }, void>>): Record<string, number> => {
  const counts: Record<string, number> = {}
  for (const outcome of outcomes) {
    const name = isRight(outcome) ? 'success' : outcome.left._tag
    counts[name] = (counts[name] ?? 0) + 1
  }
  return counts
}
