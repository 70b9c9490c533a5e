import { type Either, isLeft, left, right } from 'fp-ts/lib/Either.js'
import { pipe } from 'fp-ts/lib/function.js'
import * as TE from 'fp-ts/lib/TaskEither.js'
import type { Session } from '../../domain/session.ts'
import type { Identity, IdentityRefused, ProviderUnavailable } from '../ports/identity-provider.ts'
import type { StoreUnavailable } from '../ports/store.ts'
import type { Tagged } from '../recording/retry-on-conflict.ts'
import { type Throttle, type Throttled, withThrottle } from '../throttling/throttle.ts'
import type { IdentityTransaction } from './identity-transaction.ts'

/**
 * Asks the provider whom an answer names that came in a session. Every answer counts, right or wrong: each one makes a call to the provider,
 * whose calls all users share.
 */
export const answerInSession =
  (
    throttle: Throttle,
    { id }: Pick<Session, 'id'>,
    { provider, request }: IdentityTransaction,
    answer: string,
  ): TE.TaskEither<IdentityRefused | ProviderUnavailable | Throttled | StoreUnavailable, Identity> =>
  async () => {
    const outcome = await withThrottle(
      throttle,
      { kind: 'identity_answers', id },
      {
        check: asOutcome(provider.complete(answer, request)),
        isSuccess: () => false,
      },
    )()
    return isLeft(outcome) ? outcome : outcome.right
  }

/** Makes a refused answer an outcome. Failures do not count, but refused answers do: nobody can guess them without end. */
export const asOutcome = <E extends Tagged, A>(
  answered: TE.TaskEither<E, A>,
): TE.TaskEither<Exclude<E, IdentityRefused>, Either<IdentityRefused, A>> =>
  pipe(
    answered,
    TE.map((proved): Either<IdentityRefused, A> => right(proved)),
    TE.orElse((failure) =>
      isRefused(failure) ? TE.right(left(failure)) : TE.left(failure as Exclude<E, IdentityRefused>),
    ),
  )

const isRefused = (failure: Tagged): failure is IdentityRefused => failure._tag === 'IdentityRefused'
