import * as TE from 'fp-ts/lib/TaskEither.js'
import type { Store, UserQuery } from '../../../application/ports/store.ts'
import { USER_STATUSES, type User } from '../../../domain/user.ts'
import { aUser } from '../../testkit/builders.ts'
import type { Mutation } from './harness.ts'
import type { Mutate } from './mutations.ts'
import {
  answer,
  caught,
  each,
  everyRow,
  found,
  hear,
  learningLate,
  remembering,
  spoiling,
  utf8Order,
  without,
} from './stores.ts'

const LAST_STATUS = 'a user is listed by the status that was last written'
const ONCE_RESOLVED = 'a user is found by id and listed once the commit has resolved'
const EVERY_USER = 'page after page visits every user once'

type Users = ReadonlyArray<User>

/** Makes the list from all users. */
const listing =
  (of: (query: UserQuery, users: Users) => Users): Mutate<Store> =>
  (store) => ({
    listUsers: (query) => TE.map((users: Users) => of(query, users))(everyRow(store, 'users')),
  })

const fits = ({ status }: User, query: UserQuery): boolean =>
  status !== 'removed' && (query.status === undefined || status === query.status)
const isAfter =
  (after: string) =>
  ({ id }: User): boolean =>
    utf8Order(id, after) > 0
const first = (limit: number, users: Users): Users => users.slice(0, Math.max(0, limit))

/** Lists the users that fit `fitsInstead`. */
const fitting = (fitsInstead: typeof fits): Mutate<Store> =>
  listing((query, users) =>
    first(
      query.limit,
      users.filter(isAfter(query.after)).filter((user) => fitsInstead(user, query)),
    ),
  )

const asking = (alter: (query: UserQuery) => Partial<UserQuery>): Mutate<Store> =>
  hear('listUsers', (query) => [{ ...query, ...alter(query) }])

/** Stores that find another user by id. */
const OF_IDS: ReadonlyArray<Mutation<Mutate<Store>>> = [
  ...caught('a user is found by id, field by field', {
    ...spoiling(
      aUser(),
      (field) => `changes the ${field} of a user that it finds by id`,
      (spoil) => found('findUser', spoil),
    ),
  }),
  ...USER_STATUSES.flatMap((status) =>
    caught('a user is found by id in every status', {
      [`finds no ${status} user by id`]: answer('findUser', (user) =>
        user._tag === 'Some' && user.value.status === status ? { _tag: 'None' } : user,
      ),
    }),
  ),
  ...caught('an unknown id finds no user, also among others', {
    'finds a user by an id in another case': hear('findUser', (id) => [id.toLowerCase()]),
  }),
  ...caught('a user found by id is as last written', {
    'finds a user as it was created': (store) => {
      const { commit, asCreated } = remembering(store, 'users')
      return { commit, ...found('findUser', asCreated)(store) }
    },
  }),
  ...caught(ONCE_RESOLVED, {
    'lists a user a turn late': (store) => {
      const { commit, isKnown } = learningLate(store)
      return { commit, ...without('listUsers', ({ id }) => !isKnown(id))(store) }
    },
  }),
]

const FILTERS = ['of any status', 'enabled', 'disabled'] as const

/** Breaks only the lists of one filter. */
const only =
  (filter: (typeof FILTERS)[number], mutate: Mutate<Store>): Mutate<Store> =>
  (store) => ({
    listUsers: (query) =>
      (filter === (query.status ?? 'of any status') ? { ...store, ...mutate(store) } : store).listUsers(
        query,
      ),
  })

const ofFilter = (filter: (typeof FILTERS)[number]): ReadonlyArray<Mutation<Mutate<Store>>> => {
  const broken = (rows: Readonly<Record<string, Mutate<Store>>>) =>
    Object.fromEntries(
      Object.entries(rows).map(([how, mutate]) => [`${how}, ${filter}`, only(filter, mutate)]),
    )
  return [
    ...caught(
      `users are listed by id, code point by code point: ${filter}`,
      broken({
        'lists the last user first': answer('listUsers', (users) => [...users].reverse()),
      }),
    ),
    ...caught(
      `users are listed after an id that no user has: ${filter}`,
      broken({
        'looks for the user itself when it lists users': listing((query, users) => {
          const all = users.filter((user) => fits(user, query))
          return first(query.limit, all.slice(all.findIndex(({ id }) => id === query.after) + 1))
        }),
      }),
    ),
    ...caught(
      `no more users are listed than asked for: ${filter}`,
      broken({
        'takes a limit of 0 users for no limit': asking(({ limit }) => ({ limit: limit || 1_000 })),
        'keeps the limit of users in 32 bits': asking(({ limit }) => ({ limit: limit | 0 })),
      }),
    ),
    ...caught(
      `users of another status are not listed and do not count: ${filter}`,
      broken({
        'lists removed users': fitting(
          (user, query) =>
            query.status === undefined || user.status === query.status || user.status === 'removed',
        ),
        'leaves out users after it applies the limit': listing((query, users) =>
          first(query.limit, users.filter(isAfter(query.after))).filter((user) => fits(user, query)),
        ),
      }),
    ),
  ]
}

/** Stores that list the wrong users. */
const OF_LISTS: ReadonlyArray<Mutation<Mutate<Store>>> = [
  ...caught('users are listed field by field', {
    ...spoiling(
      aUser(),
      (field) => `changes the ${field} of the users it lists`,
      (spoil) => each('listUsers', spoil),
    ),
  }),
  ...FILTERS.flatMap(ofFilter),
  ...caught(LAST_STATUS, {
    'lists a disabled user as enabled': fitting(
      (user, query) => fits(user, query) || (user.status === 'disabled' && query.status === 'enabled'),
    ),
  }),
  ...caught(EVERY_USER, {
    'lists nothing if the first row of a page is removed': listing((query, users) => {
      const page = users.filter(isAfter(query.after))
      return page[0]?.status === 'removed'
        ? []
        : first(
            query.limit,
            page.filter((user) => fits(user, query)),
          )
    }),
  }),
]

export const USER_MUTATIONS = [...OF_IDS, ...OF_LISTS]
