import { alt, filter, isSome, map, none, type Option, some } from 'fp-ts/lib/Option.js'
import type { Store, TokenHolder } from '../../../application/ports/store.ts'
import type { Application } from '../../../domain/application.ts'
import type { Session, SessionFacts } from '../../../domain/session.ts'
import { USER_STATUSES } from '../../../domain/user.ts'
import { aKey, anApplication, aRevokedToken, aSession, aUser } from '../../testkit/builders.ts'
import type { Mutation } from './harness.ts'
import type { Mutate } from './mutations.ts'
import {
  afterCommit,
  answer,
  answersEarly,
  atTwoMoments,
  beforeCommit,
  caught,
  each,
  found,
  learningLate,
  remembering,
  rowsIn,
  spoiling,
} from './stores.ts'

const withoutNones = (session: Session): Partial<Session> =>
  Object.fromEntries(
    Object.entries(session).filter(([, value]) => typeof value !== 'object' || isSome<unknown>(value)),
  )

/** Stores that return other records than were written. */
const OF_RECORDS: ReadonlyArray<Mutation<Mutate<Store>>> = [
  ...caught('an application reads back field by field', {
    ...spoiling(
      anApplication(),
      (field) => `changes the ${field} of an application`,
      (spoil) => found('findApplication', spoil),
    ),
    ...spoiling(
      { id: '', digest: '', untilSeconds: 0 },
      (field) => `changes the ${field} of an application's previous key`,
      (spoil) => found('findApplication', (one) => ({ ...one, previousKey: map(spoil)(one.previousKey) })),
    ),
  }),
  ...caught('a user reads back field by field', {
    ...spoiling(
      aUser(),
      (field) => `changes the ${field} of a user`,
      (spoil) => found('findUserByEmail', spoil),
    ),
  }),
  ...caught('a session reads back field by field, with its user', {
    ...spoiling(
      aSession(),
      (field) => `changes the ${field} of a session`,
      (spoil) => found('findSession', (facts) => ({ ...facts, session: spoil(facts.session) })),
    ),
  }),
  ...caught('a signing key reads back field by field', {
    ...spoiling(
      aKey(),
      (field) => `changes the ${field} of a signing key`,
      (spoil) => each('listSigningKeys', spoil),
    ),
  }),
  ...USER_STATUSES.flatMap((status) =>
    caught('a user reads back in every status there is', {
      [`forgets that a user is ${status}`]: found('findUserByEmail', (user) =>
        user.status === status ? ({ ...user, status: `${status}?` } as unknown as typeof user) : user,
      ),
    }),
  ),
  ...caught('what a record does not have reads back as none', {
    ...Object.fromEntries(
      Object.entries({
        renewedAtSeconds: 0,
        passwordChangedAtSeconds: 0,
        cookie: '',
        browserId: '',
        label: '',
      }).map(([field, empty]) => [
        `gives a session without ${field} an empty one`,
        found('findSession', ({ session, ...facts }) => ({
          ...facts,
          session: { [field]: some(empty), ...withoutNones(session) } as Session,
        })),
      ]),
    ),
    'lets a key retire at the beginning of time': each('listSigningKeys', (key) => ({
      ...key,
      retiresAtSeconds: alt(() => some(0))(key.retiresAtSeconds),
    })),
  }),
  ...caught('what a record has no longer reads back as none', {
    'does not write what a record no longer has': (store) => {
      let last: Application['previousKey'] = none
      return {
        ...beforeCommit(store, (change) => {
          for (const row of rowsIn(change, 'applications')) last = alt(() => last)(row.previousKey)
        }),
        ...found('findApplication', (one) => ({ ...one, previousKey: alt(() => last)(one.previousKey) }))(
          store,
        ),
      }
    },
  }),
  ...caught('signing keys come oldest first, whichever was written first', {
    'lists the youngest key first': answer('listSigningKeys', (keys) =>
      [...keys].sort((one, other) => other.createdAtSeconds - one.createdAtSeconds),
    ),
  }),
  ...caught('a name outside ASCII reads back as it was written', {
    'normalizes Unicode': found('findApplication', (one) => ({ ...one, name: one.name.normalize('NFC') })),
  }),
  ...caught('a session whose user does not exist is none', {
    'invents a user for a session without one': answer('findSession', (_, id) =>
      some({ session: aSession({ id }), user: aUser(), application: none }),
    ),
  }),
  ...caught(
    ['a record reads back as it was last written', 'a session comes with its user as the user is now'],
    {
      'returns a session and its user as they were first': (store) => {
        const first = new Map<string, Option<SessionFacts>>()
        return {
          ...afterCommit(store, async (change) => {
            for (const { id } of rowsIn(change, 'sessions')) {
              const facts = first.has(id) ? undefined : await store.findSession(id)()
              if (facts?._tag === 'Right') first.set(id, facts.right)
            }
          }),
          ...answer('findSession', (facts, id) => first.get(id) ?? facts)(store),
        }
      },
    },
  ),
  ...caught('what is read once a commit has resolved holds it', {
    'answers a commit before it writes': answersEarly,
  }),
]

const telling = (tell: (holder: TokenHolder) => TokenHolder): Mutate<Store> => found('findTokenHolder', tell)

/** Stores that return other facts about a token and its application. */
const OF_TOKENS: ReadonlyArray<Mutation<Mutate<Store>>> = [
  ...caught('a revoked token reads back field by field, with its application', {
    ...spoiling(
      aRevokedToken(),
      (field) => `changes the ${field} of a revoked token`,
      (spoil) => telling((holder) => ({ ...holder, revocation: map(spoil)(holder.revocation) })),
    ),
    ...spoiling(
      anApplication(),
      (field) => `changes the ${field} of a token's application`,
      (spoil) => telling((holder) => ({ ...holder, application: spoil(holder.application) })),
    ),
  }),
  ...caught('a token that was not revoked has no revocation, also among others', {
    'takes each token for revoked': telling((holder) => ({ ...holder, revocation: some(aRevokedToken()) })),
  }),
  ...caught('a token that was revoked has no holder where there is no such application', {
    'invents an application for a token': answer('findTokenHolder', (holder, id) =>
      alt(() => some<TokenHolder>({ application: anApplication({ id }), revocation: none }))(holder),
    ),
  }),
  ...caught("the revocation of another application's token is found too", {
    "does not find the revocation of another application's token": telling(({ application, revocation }) => ({
      application,
      revocation: filter(({ applicationId }: { applicationId: string }) => applicationId === application.id)(
        revocation,
      ) as TokenHolder['revocation'],
    })),
  }),
  ...caught('the holder of a token is as last written', {
    "returns a token's application as it was first": (store) => {
      const { commit, asCreated } = remembering(store, 'applications')
      return {
        commit,
        ...telling((holder) => ({ ...holder, application: asCreated(holder.application) }))(store),
      }
    },
  }),
  ...caught('a token is revoked as soon as that is committed', {
    'revokes a token a turn late': (store) => {
      const { commit, isKnown } = learningLate(store)
      const tell = telling(({ application, revocation }) => ({
        application,
        revocation: isSome(revocation) && isKnown(revocation.value.id) ? revocation : none,
      }))
      return { commit, ...tell(store) }
    },
  }),
]

/** Stores that return another application with a session. */
const OF_SESSION_APPLICATIONS: ReadonlyArray<Mutation<Mutate<Store>>> = [
  ...caught('a session comes with the application it names, field by field', {
    ...spoiling(
      anApplication(),
      (field) => `changes the ${field} of a session's application`,
      (spoil) => found('findSession', (facts) => ({ ...facts, application: map(spoil)(facts.application) })),
    ),
  }),
  ...caught('a session comes without an application where it names none that is there', {
    'finds no session whose application is missing': answer(
      'findSession',
      filter(({ application }) => isSome(application)),
    ),
  }),
  ...caught('a session comes with its application as the application is now', {
    "returns a session's application as it was first": (store) => {
      const { commit, asCreated } = remembering(store, 'applications')
      const tell = found('findSession', (facts) => ({
        ...facts,
        application: map(asCreated)(facts.application),
      }))
      return { commit, ...tell(store) }
    },
  }),
  ...caught('a session and its application are of one moment during any write', {
    'reads a session and its application at two moments': atTwoMoments('application'),
  }),
]

export const RECORD_MUTATIONS = [...OF_RECORDS, ...OF_TOKENS, ...OF_SESSION_APPLICATIONS]
