import { pipe } from 'fp-ts/lib/function.js'
import { filter, isNone, type Option } from 'fp-ts/lib/Option.js'
import * as TE from 'fp-ts/lib/TaskEither.js'
import type { Actor } from '../../domain/event.ts'
import { isEmail, type User } from '../../domain/user.ts'
import type { NamedBy } from '../../domain/user-naming.ts'
import type { Overloaded } from '../ports/failures.ts'
import type { Conflict, Store, StoreUnavailable } from '../ports/store.ts'
import type { Fact } from './facts.ts'
import { neverFailsWith, type Recorder, type RequestContext } from './recorder.ts'
import { retryOnConflict, type Tagged } from './retry-on-conflict.ts'

/** There is no such user, or it was removed. */
export type UserUnknown = Readonly<{ _tag: 'UserUnknown' }>

/**
 * Records what happens to a user. After a conflict it reads the user again by its id, because its e-mail may belong to another
 * user by then.
 *
 * @param factOf returns what happens; none if the user needs no change. It is called again after a conflict
 */
export const changeUser =
  <Refusal extends Tagged = never>(
    { store, record }: Readonly<{ store: Pick<Store, 'findUser'>; record: Recorder }>,
    factOf: (user: User) => TE.TaskEither<Refusal | StoreUnavailable, Option<Fact>>,
  ) =>
  (
    user: User,
    actor: Actor,
    context: RequestContext,
  ): TE.TaskEither<Refusal | UserUnknown | Overloaded | StoreUnavailable, User> => {
    const change = (current: User): TE.TaskEither<Refusal | Conflict | StoreUnavailable, User> =>
      pipe(
        factOf(current),
        TE.chainW((fact) =>
          isNone(fact)
            ? TE.right(undefined)
            : pipe(record([fact.value], actor, context), neverFailsWith('EmailTaken')),
        ),
        TE.map(() => current),
      )
    return pipe(
      user,
      retryOnConflict(({ id }: User) => pipe(findUser(store, id), TE.chainW(orUnknown)), change),
    )
  }

/** Returns the user with this id. A removed user is not found. */
export const findUser = (
  store: Pick<Store, 'findUser'>,
  id: string,
): TE.TaskEither<StoreUnavailable, Option<User>> =>
  pipe(store.findUser(id), TE.map(filter(({ status }: User) => status !== 'removed')))

/** Returns the user with this e-mail. A removed user has none: its id replaces the e-mail, and must not match. */
export const findAccount = (
  store: Pick<Store, 'findUserByEmail'>,
  email: string,
): TE.TaskEither<StoreUnavailable, Option<User>> =>
  pipe(store.findUserByEmail(email), TE.map(filter(({ status }: User) => status !== 'removed')))

/** Returns the user that a request names. */
export const findNamed = (
  store: Pick<Store, 'findUser' | 'findUserByEmail'>,
  named: NamedBy,
): TE.TaskEither<StoreUnavailable, Option<User>> =>
  'userId' in named ? findUser(store, named.userId) : findAccount(store, named.email)

/** Returns the user that an operator names by e-mail or id. An id is never a valid address. */
export const namedUser = (
  store: Pick<Store, 'findUser' | 'findUserByEmail'>,
  emailOrId: string,
): TE.TaskEither<UserUnknown | StoreUnavailable, User> =>
  pipe(
    findNamed(store, isEmail(emailOrId) ? { email: emailOrId } : { userId: emailOrId }),
    TE.chainW(orUnknown),
  )

/** The same for a look at the past: an id also names a removed user. */
export const namedUserOrRemoved = (
  store: Pick<Store, 'findUser' | 'findUserByEmail'>,
  emailOrId: string,
): TE.TaskEither<UserUnknown | StoreUnavailable, User> =>
  pipe(isEmail(emailOrId) ? findAccount(store, emailOrId) : store.findUser(emailOrId), TE.chainW(orUnknown))

const orUnknown = TE.fromOption((): UserUnknown => ({ _tag: 'UserUnknown' }))
