import { type Either, isLeft, left, right } from 'fp-ts/lib/Either.js'
import { pipe } from 'fp-ts/lib/function.js'
import * as TE from 'fp-ts/lib/TaskEither.js'
import type { Session } from '../../domain/session.ts'
import type { Identity, IdentityRefused, ProviderUnavailable } from '../ports/identity-provider.ts'
import type { StoreUnavailable } from '../ports/store.ts'
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
        check: pipe(
          provider.complete(answer, request),
          TE.map((identity): Either<IdentityRefused, Identity> => right(identity)),
          TE.orElse((failure) =>
            failure._tag === 'IdentityRefused' ? TE.right(left(failure)) : TE.left(failure),
          ),
        ),
        isSuccess: () => false,
      },
    )()
    return isLeft(outcome) ? outcome : outcome.right
  }
