import { type Either, left, right } from 'fp-ts/lib/Either.js'
import type { NonEmptyArray } from 'fp-ts/lib/NonEmptyArray.js'
import { type Field, isPresent } from './field.ts'
import type { User, UserStatus } from './user.ts'

/** The problems behind the codes of docs/administration.md §2. */
export type UserSearchProblem = 'StatusUnknown'

export type UserSearchRequest = Readonly<{ email: Field; status: Field; after: Field }>

/** The users to find: all conditions together. */
export type UserSearch = Readonly<{
  email?: string
  status?: ListedStatus
  /** An id or '' for the beginning. */
  after: string
}>

/** The statuses that a search can ask for. Removed users are never found. */
export const LISTED_STATUSES = ['enabled', 'disabled'] as const satisfies ReadonlyArray<UserStatus>
export type ListedStatus = (typeof LISTED_STATUSES)[number]

/**
 * Returns the search, or the problem with it. Every field is optional. A malformed e-mail belongs to no account, and is no problem.
 */
export const validateUserSearch = ({
  email,
  status,
  after,
}: UserSearchRequest): Either<NonEmptyArray<UserSearchProblem>, UserSearch> => {
  if (isPresent(status) && !isListed(status)) return left(['StatusUnknown'])
  return right({
    ...(isPresent(email) ? { email } : {}),
    ...(isPresent(status) && isListed(status) ? { status } : {}),
    after: isPresent(after) ? after : '',
  })
}

/** Whether a search can ask for this status. */
export const isListed = (status: string): status is ListedStatus =>
  LISTED_STATUSES.some((one) => one === status)

/** Whether a user meets the conditions of a search, except the e-mail. */
export const matchesUserSearch = ({ status, after }: UserSearch, user: User): boolean =>
  (status === undefined ? isListed(user.status) : user.status === status) && user.id > after
