import * as E from 'fp-ts/lib/Either.js'
import { pipe } from 'fp-ts/lib/function.js'
import * as O from 'fp-ts/lib/Option.js'
import * as TE from 'fp-ts/lib/TaskEither.js'
import { type Invalid, invalid } from '../../domain/field.ts'
import { hasPassword, type User } from '../../domain/user.ts'
import {
  matchesUserSearch,
  nextAfter,
  type UserSearch,
  type UserSearchProblem,
  type UserSearchRequest,
  validateUserSearch,
} from '../../domain/user-search.ts'
import type { Store, StoreUnavailable } from '../ports/store.ts'

/** Searches users by e-mail, name, role and status, in pages (docs/administration.md §2). It changes nothing. */
export type SearchUsers = (
  request: UserSearchRequest,
) => TE.TaskEither<Invalid<UserSearchProblem> | StoreUnavailable, UserPage>

/** Some of the users of a search, in its order. `next` is the `after` of the following page; none at the end. */
export type UserPage = Readonly<{ users: ReadonlyArray<ListedUser>; next: O.Option<string> }>

/** What a search shows of a user. HTTP leaves out the scheme, which says how well a password is protected. */
export type ListedUser = Pick<
  User,
  'id' | 'email' | 'emailVerified' | 'status' | 'createdAtSeconds' | 'roles' | 'passwordScheme' | 'attributes'
> &
  Readonly<{ hasPassword: boolean }>

type Dependencies = Readonly<{ store: Pick<Store, 'findUserByEmail' | 'listUsers'> }>

export const searchUsers =
  ({ store }: Dependencies): SearchUsers =>
  (request) =>
    pipe(
      validateUserSearch(request),
      E.mapLeft(invalid),
      TE.fromEither,
      TE.chainW((search) => findUserPage({ store }, search, USERS_PER_PAGE)),
    )

const USERS_PER_PAGE = 100

/** Returns at most `limit` users of a search. */
export const findUserPage = (
  { store }: Dependencies,
  search: UserSearch,
  limit: number,
): TE.TaskEither<StoreUnavailable, UserPage> => {
  const { email, ...query } = search
  if (email !== undefined)
    return pipe(
      store.findUserByEmail(email),
      TE.map((found) =>
        pageOf(search, O.isSome(found) && matchesUserSearch(search, found.value) ? [found.value] : [], limit),
      ),
    )
  return query.role?.includes(' ') // it is no role, and rows separate roles by spaces
    ? TE.right(pageOf(search, [], limit))
    : pipe(
        store.listUsers({ ...query, limit: limit + 1 }), // one more shows whether there is a next page
        TE.map((found) => pageOf(search, found, limit)),
      )
}

const pageOf = (search: UserSearch, found: ReadonlyArray<User>, limit: number): UserPage => {
  const users = found.slice(0, limit)
  const last = users.at(-1)
  return {
    users: users.map(listedUser),
    next: found.length > limit && last !== undefined ? O.some(nextAfter(search, last)) : O.none,
  }
}

/** Returns what a search shows of a user. */
export const listedUser = (user: User): ListedUser => {
  const { id, email, emailVerified, status, createdAtSeconds, passwordScheme, roles, attributes } = user
  return {
    id,
    email,
    emailVerified,
    status,
    createdAtSeconds,
    passwordScheme,
    hasPassword: hasPassword(user),
    roles,
    attributes,
  }
}
