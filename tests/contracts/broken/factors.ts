import { isLeft, isRight, left, right } from 'fp-ts/lib/Either.js'
import * as O from 'fp-ts/lib/Option.js'
import type { Change, Store } from '../../../application/ports/store.ts'
import type { FactorFacts } from '../../../domain/factor.ts'
import { aFactor, aUser } from '../../testkit/builders.ts'
import type { Mutation } from './harness.ts'
import { type Mutate, turn } from './mutations.ts'
import {
  answer,
  caught,
  each,
  everyRow,
  found,
  learningLate,
  remembering,
  rowsIn,
  spoiling,
  underVersion,
  without,
} from './stores.ts'

const READS_BACK = 'a factor reads back field by field, with its user'
const LAST_WRITTEN = 'a factor and its user are as last written'

const telling = (alter: (facts: FactorFacts) => FactorFacts): Mutate<Store> => found('findFactor', alter)

/** Lists the factors of each user that `isOf` accepts. */
const listing =
  (isOf: (userId: string, asked: string) => boolean, isSeen = (_: Readonly<{ index: number }>) => true) =>
  (store: Store): Partial<Store> => ({
    listFactors: (asked) => async () => {
      const rows = await everyRow(store, 'factors')()
      return isLeft(rows)
        ? rows
        : right(
            rows.right
              .filter((_, index) => isSeen({ index }))
              .filter(({ userId, removed }) => !removed && isOf(userId, asked)),
          )
    },
  })

/** Reads a factor twice, and combines a part of the later facts with the earlier ones. */
export const factorAtTwoMoments =
  (part: 'factor' | 'user'): Mutate<Store> =>
  ({ findFactor }) => ({
    findFactor: (id) => async () => {
      const early = await findFactor(id)()
      await turn()
      const late = await findFactor(id)()
      if (!isRight(early) || !isRight(late) || O.isNone(early.right) || O.isNone(late.right)) return early
      return { ...early, right: O.some({ ...early.right.value, [part]: late.right.value[part] }) }
    },
  })

const isOfFactors = ({ rows }: Change): boolean => rows.some(({ table }) => table === 'factors')

/** Stores that find or list the wrong factors. */
export const FACTOR_MUTATIONS: ReadonlyArray<Mutation<Mutate<Store>>> = [
  ...caught(READS_BACK, {
    ...spoiling(
      aFactor({ usedAtSeconds: O.some(1) }),
      (field) => `changes the ${field} of a found factor`,
      (spoil) => telling((facts) => ({ ...facts, factor: spoil(facts.factor) })),
    ),
    ...spoiling(
      aUser({ createdAtSeconds: 1 }),
      (field) => `changes the ${field} of a factor's user`,
      (spoil) => telling((facts) => ({ ...facts, user: spoil(facts.user) })),
    ),
    ...spoiling(
      aFactor({ usedAtSeconds: O.some(1) }),
      (field) => `changes the ${field} of a listed factor`,
      (spoil) => each('listFactors', spoil),
    ),
  }),
  ...caught('factors are listed by id, whichever was written first', {
    'lists the last factor first': answer('listFactors', (list) => [...list].reverse()),
  }),
  ...caught('factors of others are not listed, however alike their ids are', {
    'lists the factors of all users': listing(() => true),
  }),
  ...caught('a removed factor is not listed, and is found', {
    'does not find a removed factor': answer(
      'findFactor',
      O.filter(({ factor }) => !factor.removed),
    ),
  }),
  ...caught('a removed factor is listed again once it is written again', {
    'never lists a factor that was removed once': (store) => {
      const gone = new Set<string>()
      return {
        commit: (change) => async () => {
          for (const { id, removed } of rowsIn(change, 'factors')) if (removed) gone.add(id)
          return store.commit(change)()
        },
        ...without('listFactors', ({ id }) => gone.has(id))(store),
      }
    },
  }),
  ...caught('a removed passkey can become one of another user', {
    'lists a factor only for its first user': (store) => {
      const { commit, asCreated } = remembering(store, 'factors')
      return { commit, ...without('listFactors', (row) => asCreated(row).userId !== row.userId)(store) }
    },
  }),
  ...caught('of two users who enrol one passkey at once, one is refused with a conflict', {
    'gives a passkey to whoever enrols it last': overAnyVersion,
  }),
  ...caught('a factor whose user does not exist is none, and is listed', {
    'lists no factor without a user': (store) => ({
      listFactors: (userId) => async () => {
        const user = await store.findUser(userId)()
        if (isLeft(user)) return user
        return O.isNone(user.right) ? right([]) : store.listFactors(userId)()
      },
    }),
  }),
  ...caught(LAST_WRITTEN, {
    'finds a factor as it was created': (store) => {
      const { commit, asCreated } = remembering(store, 'factors')
      return { commit, ...telling((facts) => ({ ...facts, factor: asCreated(facts.factor) }))(store) }
    },
  }),
  ...caught('what is listed once a commit has resolved holds its factor', {
    'lists a factor a turn late': (store) => {
      const { commit, isKnown } = learningLate(store)
      return { commit, ...without('listFactors', ({ id }) => !isKnown(id))(store) }
    },
  }),
  ...caught('of two uses of one factor one is written, and the other is a conflict', {
    'writes a factor over any version': overAnyVersion,
  }),
  ...caught('a factor, its user and a session are written together, or none of them', {
    'writes the user although the factor is stale': writingOnRefusal('users'),
  }),
  ...caught('ten thousand factors of others hide none of a user', {
    'looks for factors among the first thousand only': listing(
      (userId, asked) => userId === asked,
      ({ index }) => index < 1_000,
    ),
  }),
  ...caught('a factor and its user are of one moment', {
    'reads a factor later than its user': factorAtTwoMoments('factor'),
  }),
]

/** Writes the rows of one table of a refused change that enrols a factor. */
function writingOnRefusal(table: 'users' | 'sessions' | 'factors'): Mutate<Store> {
  return (store) => ({
    commit: (change) => async () => {
      const outcome = await store.commit(change)()
      const tables = new Set(change.rows.map((row) => row.table))
      if (isRight(outcome) || tables.size < 3) return outcome
      const some = change.rows.filter((row) => row.table === table)
      await store.commit({ ...change, rows: some })()
      return left(outcome.left)
    },
  })
}

/** Writes the factors of a refused change all the same. */
function overAnyVersion(store: Store): Partial<Store> {
  return {
    commit: (change) => async () => {
      const outcome = await store.commit(change)()
      if (isRight(outcome) || !isOfFactors(change)) return outcome
      return store.commit({
        ...change,
        rows: change.rows.map((row) => underVersion(row.row.version + 1, row)),
      })()
    },
  }
}
