import { pipe } from 'fp-ts/lib/function.js'
import * as TE from 'fp-ts/lib/TaskEither.js'
import type { Overloaded } from './ports/password-hasher.ts'
import type { Conflict, SessionAndUser, Store, StoreUnavailable } from './ports/store.ts'
import type { InvalidToken } from './ports/token-format.ts'

/**
 * Decides on the facts at hand and, when the commit finds that somebody else was faster, again on fresh ones:
 * a second password change then finds the old password wrong.
 */
export const onFreshFacts =
  <E, A>(
    store: Pick<Store, 'findSession'>,
    decide: (facts: SessionAndUser) => TE.TaskEither<E | Conflict, A>,
  ) =>
  (facts: SessionAndUser): TE.TaskEither<E | InvalidToken | Overloaded | StoreUnavailable, A> => {
    type Decision = TE.TaskEither<E | InvalidToken | Overloaded | StoreUnavailable, A>

    const attempt = (current: SessionAndUser, attemptsLeft: number): Decision =>
      pipe(
        decide(current),
        TE.orElse((failure): Decision => {
          if (!isConflict(failure)) return TE.left(failure)
          if (attemptsLeft === 0) return TE.left({ _tag: 'Overloaded', retryAfterSeconds: 1 })
          return pipe(
            store.findSession(current.session.id),
            TE.chainW(TE.fromOption((): InvalidToken => ({ _tag: 'InvalidToken' }))),
            TE.chainW((fresh) => attempt(fresh, attemptsLeft - 1)),
          )
        }),
      )

    return attempt(facts, MORE_ATTEMPTS)
  }

/**
 * Every conflict means that somebody else's change of the same user went through, and the next decision nearly
 * always ends in a refusal then. Only changes that set the password it is already can meet again and again.
 */
const MORE_ATTEMPTS = 10

const isConflict = <E>(failure: E | Conflict): failure is Conflict =>
  typeof failure === 'object' && failure !== null && '_tag' in failure && failure._tag === 'Conflict'
