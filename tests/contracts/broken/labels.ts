import { map, right } from 'fp-ts/lib/Either.js'
import * as O from 'fp-ts/lib/Option.js'
import type { Store } from '../../../application/ports/store.ts'
import { hasEnded, type Session, type SessionFacts } from '../../../domain/session.ts'
import type { User } from '../../../domain/user.ts'
import type { Mutation } from './harness.ts'
import type { Mutate } from './mutations.ts'
import { afterCommit, caught, each, found, hear, remembering, rowsIn } from './stores.ts'

/** Shows labels that sessions were created with. */
const showing =
  (isShown: (facts: SessionFacts) => boolean): Mutate<Store> =>
  (store) => {
    const { commit, asCreated } = remembering(store, 'sessions')
    const labelled = (facts: SessionFacts) =>
      isShown(facts)
        ? { ...facts, session: { ...facts.session, label: asCreated(facts.session).label } }
        : facts
    return { commit, ...found('findSession', labelled)(store) }
  }

/** Keeps labels of sessions that it should erase. */
const keeping =
  (isKept: (session: Session, user: User) => boolean): Mutate<Store> =>
  (store) => {
    const users = new Map<string, User>()
    const { commit: remember, asCreated } = remembering(store, 'sessions')
    const { commit } = afterCommit({ commit: remember }, (one) => {
      for (const user of rowsIn(one, 'users')) users.set(user.id, user)
    })
    const kept = (row: Session): Session => {
      const user = users.get(row.userId)
      return user !== undefined && isKept(row, user) ? { ...row, label: asCreated(row).label } : row
    }
    return { commit, ...each('listRows', (row) => ('signedOut' in row ? kept(row) : row))(store) }
  }

/** Does more after each erasure. */
const afterErasing =
  (more: (store: Store) => Promise<unknown>): Mutate<Store> =>
  (store) => ({
    eraseEndedLabels: (limit) => async () => {
      const outcome = await store.eraseEndedLabels(limit)()
      await more(store)
      return outcome
    },
  })

/** Erases the label of each session in its lists, once it has erased others. */
const erasingMore = (alter: (session: Session) => Session): Mutate<Store> => {
  return (store) => {
    let hasErased = false
    return {
      ...afterErasing(async () => {
        hasErased = true
      })(store),
      ...each('listRows', (row) => (hasErased && 'signedOut' in row ? alter(row) : row))(store),
    }
  }
}

/** Stores that show, keep or erase the wrong labels. */
export const LABEL_MUTATIONS: ReadonlyArray<Mutation<Mutate<Store>>> = [
  ...caught('a session that a change of its user has ended is found without its label', {
    'shows the labels of ended sessions': showing(() => true),
  }),
  ...caught('a session of a disabled user is found without its label', {
    'compares versions only': showing(
      ({ session, user, application }) =>
        !hasEnded({ session, user: { ...user, status: 'enabled' }, application }),
    ),
  }),
  ...caught('a change of a user writes no row of the sessions that it ends', {
    'erases labels in the commit': (store) =>
      afterCommit(store, (one) =>
        rowsIn(one, 'users').some(({ version }) => version > 1) ? store.eraseEndedLabels(100)() : undefined,
      ),
  }),
  ...caught('labels of ended sessions are erased, and nothing else', {
    'erases every label': erasingMore((row) => ({ ...row, label: O.none })),
  }),
  ...caught('labels of sessions under a former passwordVersion are erased', {
    'compares the sessions version only': keeping(
      (session, user) => session.sessionsVersion === user.sessionsVersion,
    ),
  }),
  ...caught('labels of sessions under a former sessionsVersion are erased', {
    'compares the password version only': keeping(
      (session, user) => session.passwordVersion === user.passwordVersion,
    ),
  }),
  ...caught('at most so many labels are erased at once, and all after enough calls', {
    'ignores the limit': hear('eraseEndedLabels', () => [100]),
  }),
  ...caught('the labels of many users are erased', {
    'erases those of the first users only': (store) => {
      let done = false
      return {
        eraseEndedLabels: (limit) => async () => {
          if (done) return right(false)
          done = true
          return map(() => true)(await store.eraseEndedLabels(limit)())
        },
      }
    },
  }),
]
