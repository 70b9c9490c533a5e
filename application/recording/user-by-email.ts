import { pipe } from 'fp-ts/lib/function.js'
import { filter, isNone, type Option } from 'fp-ts/lib/Option.js'
import * as TE from 'fp-ts/lib/TaskEither.js'
import type { User } from '../../domain/user.ts'
import type { Overloaded } from '../ports/failures.ts'
import type { Store, StoreUnavailable } from '../ports/store.ts'
import type { Fact } from './facts.ts'
import { cannotMeet, type Recorder, type RequestContext } from './recorder.ts'
import { retryOnConflict } from './retry-on-conflict.ts'

/** No user has this e-mail. */
export type UserUnknown = Readonly<{ _tag: 'UserUnknown' }>

/** The user with this e-mail. What is left of a removed one has none: its id stands there instead. */
export const findAccount = (
  store: Pick<Store, 'findUserByEmail'>,
  email: string,
): TE.TaskEither<StoreUnavailable, Option<User>> =>
  pipe(store.findUserByEmail(email), TE.map(filter(({ status }: User) => status !== 'removed')))

/** The user an operator means. */
export const userByEmail = (
  store: Pick<Store, 'findUserByEmail'>,
  email: string,
): TE.TaskEither<UserUnknown | StoreUnavailable, User> =>
  pipe(findAccount(store, email), TE.chainW(TE.fromOption((): UserUnknown => ({ _tag: 'UserUnknown' }))))

/**
 * What an operator does to a user, on fresh facts as often as it takes.
 *
 * @param whatHappens none when there is nothing to do: the user is as it should be
 */
export const toUser =
  (store: Pick<Store, 'findUserByEmail'>, record: Recorder, whatHappens: (user: User) => Option<Fact>) =>
  (
    call: RequestContext,
    email: string,
  ): TE.TaskEither<UserUnknown | Overloaded | StoreUnavailable, { id: string; email: string }> =>
    pipe(
      userByEmail(store, email),
      TE.chainW(
        retryOnConflict(
          () => userByEmail(store, email),
          (user: User) => {
            const fact = whatHappens(user)
            const written = isNone(fact)
              ? TE.right(undefined)
              : pipe(record([fact.value], { kind: 'operator' }, call), cannotMeet('EmailTaken'))
            return pipe(
              written,
              TE.map(() => ({ id: user.id, email: user.email })),
            )
          },
        ),
      ),
    )
