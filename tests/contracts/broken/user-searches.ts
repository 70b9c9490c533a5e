import * as TE from 'fp-ts/lib/TaskEither.js'
import type { Store, UserQuery } from '../../../application/ports/store.ts'
import { nameKeyOf } from '../../../domain/attributes.ts'
import { emailKey, type User } from '../../../domain/user.ts'
import type { Mutation } from './harness.ts'
import type { Mutate } from './mutations.ts'
import { caught, everyRow, remembering, utf8Order } from './stores.ts'

type Users = ReadonlyArray<User>

/** What a search consists of. Each defect replaces one part. */
type Parts = Readonly<{
  fits: (user: User, query: UserQuery) => boolean
  isListed: (user: User, query: UserQuery) => boolean
  order: (one: User, other: User, query: UserQuery) => number
  isBehind: (user: User, query: UserQuery) => boolean
  limit: (query: UserQuery) => number
}>

const keyOf = ({ email, attributes, id }: User, { emailPrefix, namePrefix }: UserQuery): string => {
  if (emailPrefix !== undefined) return emailKey(email)
  return namePrefix === undefined ? id : nameKeyOf(attributes)
}

const RIGHT: Parts = {
  fits: (user, query) =>
    keyOf(user, query).startsWith(query.emailPrefix ?? query.namePrefix ?? '') &&
    (query.role === undefined || user.roles.includes(query.role)),
  isListed: ({ status }, query) => status !== 'removed' && status === (query.status ?? status),
  order: (one, other, query) =>
    utf8Order(keyOf(one, query), keyOf(other, query)) || utf8Order(one.id, other.id),
  isBehind: (user, query) => {
    const isNamesake = query.namePrefix !== undefined && nameKeyOf(user.attributes) === query.after
    return isNamesake
      ? utf8Order(user.id, query.afterId ?? '') > 0
      : utf8Order(keyOf(user, query), query.after) > 0
  },
  limit: ({ limit }) => Math.max(0, limit),
}

const search = (users: Users, query: UserQuery, parts: Parts): Users =>
  users
    .filter((user) => parts.fits(user, query) && parts.isListed(user, query) && parts.isBehind(user, query))
    .sort((one, other) => parts.order(one, other, query))
    .slice(0, parts.limit(query))

/** Searches with other parts. Lists without a prefix and a role stay as they are. */
const searching =
  (parts: Partial<Parts>): Mutate<Store> =>
  (store) => ({
    listUsers: (query) =>
      (query.emailPrefix ?? query.namePrefix ?? query.role) === undefined
        ? store.listUsers(query)
        : TE.map((users: Users) => search(users, query, { ...RIGHT, ...parts }))(everyRow(store, 'users')),
  })

/** Whether the key matches the prefix as a pattern of SQL. */
const isLike = (user: User, query: UserQuery): boolean => {
  const prefix = query.emailPrefix ?? query.namePrefix ?? ''
  const pattern = prefix
    .replace(/[.*+?^${}()|[\]\\]/g, '\\$&')
    .replaceAll('%', '.*')
    .replaceAll('_', '.')
  return RIGHT.fits(user, query) || new RegExp(`^${pattern}`, 'u').test(keyOf(user, query))
}

const atMost =
  (limited: keyof UserQuery): Parts['limit'] =>
  (query) =>
    query[limited] === undefined || query.limit > 0 ? RIGHT.limit(query) : 1_000

export const USER_SEARCH_MUTATIONS: ReadonlyArray<Mutation<Mutate<Store>>> = [
  ...caught('users are listed by the beginning of an e-mail, in the order of their keys', {
    'lists users with an e-mail prefix by id': searching({
      order: (one, other, query) =>
        query.emailPrefix === undefined ? RIGHT.order(one, other, query) : utf8Order(one.id, other.id),
    }),
    'lists the last user of a page by e-mail again': searching({
      isBehind: (user, query) =>
        RIGHT.isBehind(user, query) ||
        (query.emailPrefix !== undefined && keyOf(user, query) === query.after),
    }),
  }),
  ...caught('the beginning of an e-mail is taken literally, and any text may come', {
    'takes an e-mail prefix for a pattern': searching({
      fits: (user, query) => (query.emailPrefix === undefined ? RIGHT.fits : isLike)(user, query),
    }),
    'lowers an e-mail prefix': searching({
      fits: (user, { emailPrefix, ...query }) =>
        RIGHT.fits(user, { ...query, ...(emailPrefix && { emailPrefix: emailPrefix.toLowerCase() }) }),
    }),
  }),
  ...caught('the beginning of an e-mail never finds a removed user, whose id replaced it', {
    'finds removed users by the beginning of an e-mail': searching({
      isListed: (user, query) => query.emailPrefix !== undefined || RIGHT.isListed(user, query),
    }),
  }),
  ...caught('users are listed by the beginning of a name, then by id, code point by code point', {
    'skips the namesakes of the last user': searching({
      isBehind: (user, query) => utf8Order(keyOf(user, query), query.after) > 0,
    }),
    'lists namesakes from the greatest id': searching({
      order: (one, other, query) =>
        utf8Order(keyOf(one, query), keyOf(other, query)) ||
        (query.namePrefix === undefined ? 1 : -1) * utf8Order(one.id, other.id),
    }),
    'lists names by units of UTF-16': searching({
      order: (one, other, query) =>
        query.namePrefix === undefined || keyOf(one, query) === keyOf(other, query)
          ? RIGHT.order(one, other, query)
          : keyOf(one, query) < keyOf(other, query)
            ? -1
            : 1,
    }),
  }),
  ...caught('a page of names begins behind any name and id', {
    'keeps the id of the last user for each name': searching({
      isBehind: (user, query) =>
        query.namePrefix === undefined || query.after === ''
          ? RIGHT.isBehind(user, query)
          : nameKeyOf(user.attributes) >= query.after && utf8Order(user.id, query.afterId ?? '') > 0,
    }),
  }),
  ...caught('the beginning of a name finds enabled and disabled users, and is taken literally', {
    'takes a name prefix for a pattern': searching({
      fits: (user, query) => (query.namePrefix === undefined ? RIGHT.fits : isLike)(user, query),
    }),
    'finds removed users by the beginning of a name': searching({
      isListed: (user, query) => query.namePrefix !== undefined || RIGHT.isListed(user, query),
    }),
    'finds only enabled users by the beginning of a name': searching({
      isListed: (user, query) =>
        RIGHT.isListed(user, query) && (query.namePrefix === undefined || user.status === 'enabled'),
    }),
  }),
  ...caught('users are listed by a whole role, by id, and by their status', {
    'finds a part of a role': searching({
      fits: (user, query) => RIGHT.fits(user, query) || user.roles.join(' ').includes(query.role ?? '\0'),
    }),
    'ignores the status beside a role': searching({ isListed: ({ status }) => status !== 'removed' }),
    'finds removed users by a role': searching({
      isListed: (user, query) => query.role !== undefined || RIGHT.isListed(user, query),
    }),
  }),
  ...caught('no more users are listed than asked for: by the beginning of an e-mail', {
    'takes a limit of 0 for none beside an e-mail prefix': searching({ limit: atMost('emailPrefix') }),
  }),
  ...caught('no more users are listed than asked for: by the beginning of a name', {
    'takes a limit of 0 for none beside a name prefix': searching({ limit: atMost('namePrefix') }),
  }),
  ...caught('no more users are listed than asked for: by a role', {
    'takes a limit of 0 for none beside a role': searching({ limit: atMost('role') }),
  }),
  ...caught('users are found by the e-mail, the name and the roles that were last written', {
    'searches users as they were created': (store) => {
      const { commit, asCreated } = remembering(store, 'users')
      const { listUsers = store.listUsers } = searching({
        fits: (user, query) => RIGHT.fits(asCreated(user), query),
      })(store)
      return { commit, listUsers }
    },
  }),
]
