import { pipe } from 'fp-ts/lib/function.js'
import * as TE from 'fp-ts/lib/TaskEither.js'
import type { Overloaded } from '../ports/failures.ts'
import type { Conflict } from '../ports/store.ts'

/**
 * Decides on the facts at hand and, when the commit finds that somebody else was faster, again on fresh ones:
 * a second password change then finds the old password wrong.
 *
 * @param readAgain reads the facts as they are now
 */
export const retryOnConflict =
  <Facts, Gone, E, A>(
    readAgain: (stale: Facts) => TE.TaskEither<Gone, Facts>,
    decide: (facts: Facts) => TE.TaskEither<E | Conflict, A>,
  ) =>
  (facts: Facts): TE.TaskEither<E | Gone | Overloaded, A> => {
    type Decision = TE.TaskEither<E | Gone | Overloaded, A>

    const attempt = (current: Facts, attemptsLeft: number): Decision =>
      pipe(
        decide(current),
        TE.orElse((failure): Decision => {
          if (!isConflict(failure)) return TE.left(failure)
          if (attemptsLeft === 0) return TE.left({ _tag: 'Overloaded', retryAfterSeconds: 1 })
          return pipe(
            readAgain(current),
            TE.chainW((fresh) => attempt(fresh, attemptsLeft - 1)),
          )
        }),
      )

    return attempt(facts, MORE_ATTEMPTS)
  }

/**
 * Every conflict means that somebody else's change of the same record went through. A password change mostly ends in a
 * refusal then, and an operator is rarely one of many: who meets others this often gives way.
 */
const MORE_ATTEMPTS = 10

const isConflict = <E>(failure: E | Conflict): failure is Conflict =>
  typeof failure === 'object' && failure !== null && '_tag' in failure && failure._tag === 'Conflict'
