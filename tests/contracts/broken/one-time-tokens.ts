import { isRight } from 'fp-ts/lib/Either.js'
import * as O from 'fp-ts/lib/Option.js'
import type { Store } from '../../../application/ports/store.ts'
import type { OneTimeTokenFacts } from '../../../domain/one-time-token.ts'
import { anApplication, aOneTimeToken, aUser } from '../../testkit/builders.ts'
import type { Mutation } from './harness.ts'
import { type Mutate, turn } from './mutations.ts'
import { answer, caught, everyRow, found, learningLate, remembering, spoiling } from './stores.ts'

const LAST_WRITTEN = 'a one-time token, its user and its application are as last written'

const telling = (alter: (facts: OneTimeTokenFacts) => OneTimeTokenFacts): Mutate<Store> =>
  found('findOneTimeToken', alter)

/** Finds a token by another rule, with an invented user or application if its own does not exist. */
const finding =
  (isIt: (digest: string, asked: string, id: string) => boolean, invents: Partial<OneTimeTokenFacts> = {}) =>
  (store: Store): Partial<Store> => ({
    findOneTimeToken: (asked) => async () => {
      const tokens = await everyRow(store, 'one_time_tokens')()
      if (!isRight(tokens)) return tokens
      const token = tokens.right.find(({ digest, id }) => isIt(digest, asked, id))
      if (token === undefined) return { ...tokens, right: O.none }
      const user = await store.findUser(token.userId)()
      const application = await store.findApplication(token.applicationId)()
      if (!isRight(user) || !isRight(application)) return { ...tokens, right: O.none }
      const facts = {
        user: O.toUndefined(user.right) ?? invents.user,
        application: O.toUndefined(application.right) ?? invents.application,
      }
      return facts.user === undefined || facts.application === undefined
        ? { ...tokens, right: O.none }
        : { ...tokens, right: O.some({ token, user: facts.user, application: facts.application }) }
    },
  })

/** Reads a token twice, and combines a part of the later facts with the earlier ones. */
export const tokenAtTwoMoments =
  (part: 'token' | 'user' | 'application'): Mutate<Store> =>
  ({ findOneTimeToken }) => ({
    findOneTimeToken: (digest) => async () => {
      const early = await findOneTimeToken(digest)()
      await turn()
      const late = await findOneTimeToken(digest)()
      if (!isRight(early) || !isRight(late) || O.isNone(early.right) || O.isNone(late.right)) return early
      return { ...early, right: O.some({ ...early.right.value, [part]: late.right.value[part] }) }
    },
  })

/** Stores that find the wrong one-time token, user or application. */
export const ONE_TIME_TOKEN_MUTATIONS: ReadonlyArray<Mutation<Mutate<Store>>> = [
  ...caught('a one-time token reads back field by field, with its user and application', {
    ...spoiling(
      aOneTimeToken(),
      (field) => `changes the ${field} of a one-time token`,
      (spoil) => telling((facts) => ({ ...facts, token: spoil(facts.token) })),
    ),
    ...spoiling(
      aUser({ createdAtSeconds: 1 }),
      (field) => `changes the ${field} of a one-time token's user`,
      (spoil) => telling((facts) => ({ ...facts, user: spoil(facts.user) })),
    ),
    ...spoiling(
      { id: '', name: '', scope: [], keyId: '', keyDigest: '', revoked: false, version: 1 },
      (field) => `changes the ${field} of a one-time token's application`,
      (spoil) => telling((facts) => ({ ...facts, application: spoil(facts.application) })),
    ),
  }),
  ...caught('an unknown digest finds no one-time token, also among others', {
    'finds any one-time token by any digest': finding(() => true),
  }),
  ...caught('a one-time token whose user does not exist is none', {
    'invents a user for a one-time token': finding((digest, asked) => digest === asked, { user: aUser() }),
  }),
  ...caught('a one-time token whose application does not exist is none', {
    'invents an application for a one-time token': finding((digest, asked) => digest === asked, {
      application: anApplication(),
    }),
  }),
  ...caught(LAST_WRITTEN, {
    'finds a one-time token as it was created': (store) => {
      const { commit, asCreated } = remembering(store, 'one_time_tokens')
      return { commit, ...telling((facts) => ({ ...facts, token: asCreated(facts.token) }))(store) }
    },
  }),
  ...caught('a one-time token is found once the commit has resolved', {
    'finds a one-time token a turn late': (store) => {
      const { commit, isKnown } = learningLate(store)
      const tell = answer<'findOneTimeToken'>(
        'findOneTimeToken',
        O.filter(({ token }) => isKnown(token.id)),
      )
      return { commit, ...tell(store) }
    },
  }),
  ...caught('a one-time token, its user and its application are of one moment', {
    'reads a one-time token later than its user': tokenAtTwoMoments('token'),
  }),
]
