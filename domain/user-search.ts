import { type Either, isLeft, left, right } from 'fp-ts/lib/Either.js'
import type { NonEmptyArray } from 'fp-ts/lib/NonEmptyArray.js'
import { nameKeyOf } from './attributes.ts'
import { combineFields, type Field, isPresent } from './field.ts'
import { nameKey } from './name.ts'
import { emailKey, type User, type UserStatus } from './user.ts'

/** The problems behind the codes of docs/administration.md §2. */
export type UserSearchProblem = 'StatusUnknown' | 'ConditionsClash' | 'NextOfAnotherSearch'

/** A search, as sent. */
export type UserSearchRequest = Readonly<{
  email?: Field
  emailPrefix?: Field
  namePrefix?: Field
  role?: Field
  status?: Field
  after?: Field
}>

/** The users to find. */
export type UserSearch = Readonly<{
  email?: string
  emailPrefix?: string
  namePrefix?: string
  role?: string
  status?: ListedStatus
  /** Of the last user before: an id, or the key that the prefix is of. '' for the beginning. */
  after: string
  /** With `namePrefix`: the id of that user. */
  afterId?: string
}>

/** The statuses that a search can ask for. Removed users are never found. */
export const LISTED_STATUSES = ['enabled', 'disabled'] as const satisfies ReadonlyArray<UserStatus>
export type ListedStatus = (typeof LISTED_STATUSES)[number]

/** The conditions that name users, each in its own order. One of them fits in a search. */
const NAMING = ['email', 'emailPrefix', 'namePrefix', 'role'] as const

const combine = combineFields<UserSearchProblem>()

/**
 * Returns the search, or all problems of the request. Every field is optional. A malformed e-mail or role belongs to no user, and is no
 * problem.
 */
export const validateUserSearch = (
  request: UserSearchRequest,
): Either<NonEmptyArray<UserSearchProblem>, UserSearch> => {
  const conditions = conditionsOf(request)
  if (isLeft(conditions)) return conditions
  const last = lastOf(conditions.right, request.after)
  return last === undefined ? left(['NextOfAnotherSearch']) : right({ ...conditions.right, ...last })
}

const conditionsOf = ({ status, ...request }: UserSearchRequest) => {
  const named = NAMING.filter((name) => isPresent(request[name]))
  const isOrderedByKey = isPresent(request.emailPrefix) || isPresent(request.namePrefix)
  const clash = named.length > 1 || (isPresent(status) && isOrderedByKey)
  const combined = combine({
    status: isPresent(status) && !isListed(status) ? left(['StatusUnknown'] as const) : right(undefined),
    naming: clash ? left(['ConditionsClash'] as const) : right(undefined),
  })
  if (isLeft(combined)) return combined
  const { email, emailPrefix, namePrefix, role } = request
  return right({
    ...(isPresent(email) ? { email } : {}),
    ...(isPresent(emailPrefix) ? { emailPrefix: emailKey(emailPrefix) } : {}),
    ...(isPresent(namePrefix) ? { namePrefix: nameKey(namePrefix) } : {}),
    ...(isPresent(role) ? { role } : {}),
    ...(isPresent(status) && isListed(status) ? { status } : {}),
  })
}

type Conditions = Omit<UserSearch, 'after' | 'afterId'>

/**
 * What continues a search with one of these conditions names that condition, so that it continues no other. The others continue behind
 * any id, as docs/administration.md §2 promises.
 */
const boundTo = ({
  emailPrefix,
  namePrefix,
  role,
  status,
}: Conditions): ReadonlyArray<string> | undefined => {
  if (emailPrefix !== undefined) return ['email_prefix', emailPrefix]
  if (namePrefix !== undefined) return ['name_prefix', namePrefix]
  return role === undefined ? undefined : ['role', role, status ?? '']
}

const BOUND = /^(email_prefix|name_prefix|role):/

/** Returns the `after` that continues a search behind this user. It is opaque to clients. */
export const nextAfter = (
  search: UserSearch,
  { id, email, attributes }: Pick<User, 'id' | 'email' | 'attributes'>,
): string => {
  const bound = boundTo(search)
  if (bound === undefined) return id
  const last = { email_prefix: [emailKey(email)], name_prefix: [nameKeyOf(attributes), id] }[
    String(bound[0])
  ] ?? [id]
  return [...bound, ...last].map(encodeURIComponent).join(':')
}

/** Returns the position in `after`, or undefined if it is one of another search. */
const lastOf = (conditions: Conditions, after: Field): Pick<UserSearch, 'after' | 'afterId'> | undefined => {
  if (!isPresent(after)) return { after: '' }
  const bound = boundTo(conditions)
  if (bound === undefined) return BOUND.test(after) ? undefined : { after }
  const [last, id, ...more] = partsBehind(bound, after)
  if (last === undefined || more.length > 0) return undefined
  if (conditions.namePrefix === undefined) return id === undefined ? { after: last } : undefined
  return id === undefined ? undefined : { after: last, afterId: id }
}

/** Returns what follows the condition in a text, or nothing if it is of another condition. */
const partsBehind = (bound: ReadonlyArray<string>, after: string): ReadonlyArray<string> => {
  const start = `${bound.map(encodeURIComponent).join(':')}:`
  if (!after.startsWith(start)) return []
  try {
    return after.slice(start.length).split(':').map(decodeURIComponent)
  } catch {
    return [] // an escape that is no UTF-8
  }
}

/** Whether a search can ask for this status. */
export const isListed = (status: string): status is ListedStatus =>
  LISTED_STATUSES.some((one) => one === status)

/** Whether a user meets the conditions of a search for an e-mail, except the e-mail. */
export const matchesUserSearch = ({ status, after }: UserSearch, user: User): boolean =>
  (status === undefined ? isListed(user.status) : user.status === status) && user.id > after
