import * as TE from 'fp-ts/lib/TaskEither.js'
import type { Store, UserKeys } from '../../../application/ports/store.ts'
import { emailKey, type User } from '../../../domain/user.ts'
import type { Mutation } from './harness.ts'
import type { Mutate } from './mutations.ts'
import { answer, beforeCommit, caught, everyRow, hear, learningLate, remembering, rowsIn } from './stores.ts'

const ORDER = 'known e-mails and ids are found in the order of the question'
const APART = 'e-mails are known without their ids, and ids without their e-mails'
const KEYS = 'an e-mail is known by its key only'

type Users = ReadonlyArray<User>

/** Finds the keys from all users. */
const among =
  (of: (asked: UserKeys, users: Users) => UserKeys): Mutate<Store> =>
  (store) => ({
    findKnownUsers: (asked) => TE.map((users: Users) => of(asked, users))(everyRow(store, 'users')),
  })

const knownOf = ({ emailKeys, ids }: UserKeys, users: Users): UserKeys => ({
  emailKeys: emailKeys.filter((key) => users.some(({ email }) => emailKey(email) === key)),
  ids: ids.filter((one) => users.some(({ id }) => id === one)),
})

/** Finds e-mails for which `isLike` is true for a user's e-mail. */
const likeEmail = (isLike: (email: string, asked: string) => boolean): Mutate<Store> =>
  among((asked, users) => ({
    ...knownOf(asked, users),
    emailKeys: asked.emailKeys.filter((key) => users.some(({ email }) => isLike(email, key))),
  }))

/** Finds ids for which `isLike` is true for a user's id. */
const likeId = (isLike: (id: string, asked: string) => boolean): Mutate<Store> =>
  among((asked, users) => ({
    ...knownOf(asked, users),
    ids: asked.ids.filter((one) => users.some(({ id }) => isLike(id, one))),
  }))

const isLikePattern = (text: string, pattern: string): boolean =>
  new RegExp(`^${pattern.replaceAll('%', '.*').replaceAll('_', '.')}$`).test(text)

/** Looks at no more than `limit` e-mails and ids. */
const upTo = (limit: number): Mutate<Store> =>
  hear('findKnownUsers', ({ emailKeys, ids }) => [
    { emailKeys: emailKeys.slice(0, limit), ids: ids.slice(0, limit) },
  ])

/** Stores that find the wrong keys among many. */
export const KNOWN_USER_MUTATIONS: ReadonlyArray<Mutation<Mutate<Store>>> = [
  ...caught(ORDER, {
    'knows every id': answer('findKnownUsers', ({ emailKeys }, { ids }) => ({ emailKeys, ids })),
  }),
  ...caught(APART, {
    'takes ids for e-mails': hear('findKnownUsers', ({ emailKeys, ids }) => [
      { emailKeys: ids, ids: emailKeys },
    ]),
  }),
  ...caught('users of every status are known', {
    'knows only enabled users': among((asked, users) =>
      knownOf(
        asked,
        users.filter(({ status }) => status === 'enabled'),
      ),
    ),
  }),
  ...caught(KEYS, {
    'knows e-mails as they were written': likeEmail((email, asked) => email === asked),
  }),
  ...caught('an id is known as it is only', {
    'knows ids that match a pattern': likeId(isLikePattern),
  }),
  ...caught('a few users are found among many e-mails and ids', {
    'looks for the first 500 keys': upTo(500),
  }),
  ...caught('an e-mail is known until its user has another one', {
    'knows users by the e-mails of their registration': (store) => {
      const { commit, asCreated } = remembering(store, 'users')
      return { commit, ...among((asked, users) => knownOf(asked, users.map(asCreated)))(store) }
    },
  }),
  ...caught('the users of a refused change are unknown', {
    'knows the users of refused changes': (store) => {
      const written: Array<User> = []
      return {
        ...beforeCommit(store, (change) => written.push(...rowsIn(change, 'users'))),
        ...among((asked) => knownOf(asked, written))(store),
      }
    },
  }),
  ...caught('users are known once the commit has resolved', {
    'knows users a turn late': (store) => {
      const { commit, isKnown } = learningLate(store)
      const known = answer<'findKnownUsers'>('findKnownUsers', ({ emailKeys, ids }) => ({
        emailKeys,
        ids: ids.filter(isKnown),
      }))
      return { commit, ...known(store) }
    },
  }),
]
