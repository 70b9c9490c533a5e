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

/** What a task failed with, when it has to fail. */
export const refused = async <E, A>(task: TaskEither<E, A>): Promise<E> => {
  const outcome = await task()
  if (isRight(outcome)) {
    const message = `it succeeded: ${JSON.stringify(outcome.right)}`
    throw new assert.AssertionError({ message, expected: 'that it is refused', actual: 'it was done' })
  }
  return outcome.left
}

/** Commits changes one after the other, all of which have to go well. */
export const commitAll = async (store: Store, ...changes: ReadonlyArray<Change>): Promise<void> => {
  for (const change of changes) await ok(store.commit(change))
}

/** Commits all of them at once; the outcomes in the same order. */
export const commitAtOnce = (store: Store, changes: ReadonlyArray<Change>) =>
  Promise.all(changes.map((change) => store.commit(change)()))

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
