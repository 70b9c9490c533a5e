import { isLeft, isRight } from 'fp-ts/lib/Either.js'
import type { TaskEither } from 'fp-ts/lib/TaskEither.js'

/** The result of a task that must succeed. */
export const succeed = async <E, A>(task: TaskEither<E, A>): Promise<A> => {
  const result = await task()
  if (isLeft(result)) throw new Error(`it failed: ${JSON.stringify(result.left)}`)
  return result.right
}

/** The failure of a task that must fail. */
export const fail = async <E, A>(task: TaskEither<E, A>): Promise<E> => {
  const result = await task()
  if (isRight(result)) throw new Error(`it succeeded: ${JSON.stringify(result.right)}`)
  return result.left
}
