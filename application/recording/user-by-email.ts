import { pipe } from 'fp-ts/lib/function.js'
import { filter, isNone, type Option } from 'fp-ts/lib/Option.js'
import * as TE from 'fp-ts/lib/TaskEither.js'
import type { User } from '../../domain/user.ts'
import type { Overloaded } from '../ports/failures.ts'
import type { Conflict, Store, StoreUnavailable } from '../ports/store.ts'
import type { Fact } from './facts.ts'
import { neverFailsWith, operatorOf, type Recorder, type RequestContext } from './recorder.ts'
import { retryOnConflict } from './retry-on-conflict.ts'

/** No user has this e-mail. */
export type UserUnknown = Readonly<{ _tag: 'UserUnknown' }>

/**
 * Changes a user for an operator, with `retryOnConflict`.
 *
 * @param factOf returns what happens; none if the user needs no change
 */
export const changeUser =
  (
    { store, record }: Readonly<{ store: Pick<Store, 'findUserByEmail'>; record: Recorder }>,
    factOf: (user: User) => Option<Fact>,
  ) =>
  (
    context: RequestContext,
    email: string,
  ): TE.TaskEither<UserUnknown | Overloaded | StoreUnavailable, { id: string; email: string }> => {
    const read = userByEmail(store, email)
    const change = (
      user: User,
    ): TE.TaskEither<Conflict | StoreUnavailable, { id: string; email: string }> => {
      const fact = factOf(user)
      return pipe(
        isNone(fact)
          ? TE.right(undefined)
          : pipe(record([fact.value], operatorOf(context), context), neverFailsWith('EmailTaken')),
        TE.map(() => ({ id: user.id, email: user.email })),
      )
    }
    return pipe(read, TE.chainW(retryOnConflict(() => read, change)))
  }

/** Returns the user with this e-mail for an operator. */
export const userByEmail = (
  store: Pick<Store, 'findUserByEmail'>,
  email: string,
): TE.TaskEither<UserUnknown | StoreUnavailable, User> =>
  pipe(findAccount(store, email), TE.chainW(TE.fromOption((): UserUnknown => ({ _tag: 'UserUnknown' }))))

/** Returns the user with this e-mail. A removed user has none: its id replaces the e-mail, and must not match. */
export const findAccount = (
  store: Pick<Store, 'findUserByEmail'>,
  email: string,
): TE.TaskEither<StoreUnavailable, Option<User>> =>
  pipe(store.findUserByEmail(email), TE.map(filter(({ status }: User) => status !== 'removed')))
