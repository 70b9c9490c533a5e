import { map, none } from 'fp-ts/lib/Option.js'
import type { Store } from '../../../application/ports/store.ts'
import type { SessionFacts } from '../../../domain/session.ts'
import type { Mutation } from './harness.ts'
import type { Mutate } from './mutations.ts'
import { afterCommit, answer, caught, remembering, rowsIn } from './stores.ts'

const unlabelled = (facts: SessionFacts): SessionFacts => ({
  ...facts,
  session: { ...facts.session, label: none },
})

/** Erases labels of the users that a change writes again. */
const erasing =
  (
    isErased: (facts: SessionFacts, hasSession: boolean) => boolean,
    counts: (isWritten: boolean) => boolean = (isWritten) => isWritten,
  ): Mutate<Store> =>
  (store) => {
    const users = new Set<string>()
    const sessions = new Set<string>()
    const { commit } = afterCommit(store, (change, isWritten) => {
      if (!counts(isWritten)) return
      for (const { id, version } of rowsIn(change, 'users')) if (version > 1) users.add(id)
      for (const { id, version } of rowsIn(change, 'sessions')) if (version > 1) sessions.add(id)
    })
    return {
      commit,
      ...answer('findSession', (facts) =>
        map((one: SessionFacts) =>
          users.has(one.session.userId) && isErased(one, sessions.has(one.session.id))
            ? unlabelled(one)
            : one,
        )(facts),
      )(store),
    }
  }

/** Stores that keep or erase the wrong labels. */
export const LABEL_MUTATIONS: ReadonlyArray<Mutation<Mutate<Store>>> = [
  ...caught('the row of a user erases the labels of the sessions that it ends, and nothing else', {
    'keeps the labels of ended sessions': (store) => {
      const { commit, asCreated } = remembering(store, 'sessions')
      const labelled = (facts: SessionFacts) => ({
        ...facts,
        session: { ...facts.session, label: asCreated(facts.session).label },
      })
      return { commit, ...answer('findSession', map(labelled))(store) }
    },
    'erases every label of the user but those of sessions in the change': erasing(
      (_, hasSession) => !hasSession,
    ),
  }),
  ...caught('a session that is written with the user keeps its label', {
    'erases the label of a session that is written with its user': erasing((_, hasSession) => hasSession),
  }),
  ...caught('a refused row of a user erases no label', {
    'erases labels although the change is refused': erasing(
      ({ session, user }) => session.passwordVersion <= user.passwordVersion,
      (isWritten) => !isWritten,
    ),
  }),
]
