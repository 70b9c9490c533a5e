import { type Either, left, right } from 'fp-ts/lib/Either.js'
import type { NonEmptyArray } from 'fp-ts/lib/NonEmptyArray.js'
import { isSome, type Option } from 'fp-ts/lib/Option.js'
import { type Field, isPresent } from './field.ts'
import type { User } from './user.ts'

/** The problems behind the codes of docs/administration.md §3. */
export type UserIdProblem = 'UserIdMissing' | 'UserUnknown'

export type UserIdRequest = Readonly<{ userId: Field }>

/** Returns the user, or the problem with its id. A removed user is unknown. */
export const validateUserId = (
  { userId }: UserIdRequest,
  user: Option<User>,
): Either<NonEmptyArray<UserIdProblem>, User> => {
  if (!isPresent(userId)) return left(['UserIdMissing'])
  return isSome(user) && user.value.status !== 'removed' ? right(user.value) : left(['UserUnknown'])
}
