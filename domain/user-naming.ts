import { type Either, left, right } from 'fp-ts/lib/Either.js'
import type { NonEmptyArray } from 'fp-ts/lib/NonEmptyArray.js'
import { isSome, type Option } from 'fp-ts/lib/Option.js'
import { type Field, isPresent } from './field.ts'
import type { User } from './user.ts'

/** The problems behind the codes of docs/administration.md §5. */
export type UserNamingProblem = 'NoneOrBoth' | 'UserUnknown' | 'EmailUnknown'

export type UserNaming = Readonly<{ userId?: Field; email?: Field }>

/** What names a user. */
export type NamedBy = Readonly<{ userId: string } | { email: string }>

/** Returns what names the user of a request: none if nothing does, or two fields. Then no user is looked up. */
export const namedBy = ({ userId, email }: UserNaming): NamedBy | undefined => {
  if (isPresent(userId)) return isPresent(email) ? undefined : { userId }
  return isPresent(email) ? { email } : undefined
}

/** Returns what names the user, or the problem of a request that names none. */
export const validateUserNaming = (
  request: UserNaming,
): Either<NonEmptyArray<UserNamingProblem>, NamedBy> => {
  const named = namedBy(request)
  return named === undefined ? left(['NoneOrBoth']) : right(named)
}

/** Returns the user that was found, or the problem with what named it. A removed user is unknown. */
export const validateNamedUser = (
  named: NamedBy,
  user: Option<User>,
): Either<NonEmptyArray<UserNamingProblem>, User> => {
  if (isSome(user) && user.value.status !== 'removed') return right(user.value)
  return left(['userId' in named ? 'UserUnknown' : 'EmailUnknown'])
}
