import { isRight, left } from 'fp-ts/lib/Either.js'
import type { TaskEither } from 'fp-ts/lib/TaskEither.js'
import type { Overloaded } from '../ports/failures.ts'
import type { Conflict } from '../ports/store.ts'

/**
 * Decides on the given facts. After a `Conflict` it reads the facts again and decides again: the second of two concurrent
 * password changes then finds the old password wrong.
 *
 * @param readAgain reads the current facts
 */
export const retryOnConflict =
  <Facts, Gone, E extends Tagged, A>(
    readAgain: (stale: Facts) => TaskEither<Gone, Facts>,
    decide: (facts: Facts) => TaskEither<E | Conflict, A>,
  ) =>
  (facts: Facts): TaskEither<E | Gone | Overloaded, A> =>
  async () => {
    let current = facts
    for (let attemptsLeft = MORE_ATTEMPTS; ; attemptsLeft -= 1) {
      const decided = await decide(current)()
      if (isRight(decided)) return decided
      if (!isConflict(decided.left)) return left(decided.left)
      if (attemptsLeft === 0) return left({ _tag: 'Overloaded', retryAfterSeconds: 1 })
      const fresh = await readAgain(current)()
      if (!isRight(fresh)) return fresh
      current = fresh.right
    }
  }

/**
 * After each conflict another change of the record has succeeded. Password changes then mostly end as refusals, and operators
 * rarely compete. A caller that meets more conflicts gets `Overloaded`.
 */
const MORE_ATTEMPTS = 10

/** A failure of a use case. */
export type Tagged = Readonly<{ _tag: string }>

const isConflict = (failure: Tagged): failure is Conflict => failure._tag === 'Conflict'
