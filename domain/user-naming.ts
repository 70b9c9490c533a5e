import { type Either, left, right } from 'fp-ts/lib/Either.js'
import type { NonEmptyArray } from 'fp-ts/lib/NonEmptyArray.js'
import { isSome, type Option } from 'fp-ts/lib/Option.js'
import { type Field, isPresent } from './field.ts'
import type { User } from './user.ts'

/** The problems behind the codes of docs/administration.md §5. */
export type UserNamingProblem = 'NoneOrBoth' | 'UserUnknown' | 'EmailUnknown'

export type UserNaming = Readonly<{ userId?: Field; email?: Field }>

/** Returns what names a user: exactly one of an id and an e-mail. */
export const validateUserNaming = ({
  userId,
  email,
}: UserNaming): Either<
  NonEmptyArray<UserNamingProblem>,
  Readonly<{ userId: string } | { email: string }>
> => {
  if (isPresent(userId)) return isPresent(email) ? left(['NoneOrBoth']) : right({ userId })
  return isPresent(email) ? right({ email }) : left(['NoneOrBoth'])
}

/** Returns the user that was found, or the problem with what named it. A removed user is unknown. */
export const validateNamedUser = (
  named: Readonly<{ userId: string } | { email: string }>,
  user: Option<User>,
): Either<NonEmptyArray<UserNamingProblem>, User> => {
  if (isSome(user) && user.value.status !== 'removed') return right(user.value)
  return left(['userId' in named ? 'UserUnknown' : 'EmailUnknown'])
}
