import { isNone, isSome, none, type Option } from 'fp-ts/lib/Option.js'
import * as TE from 'fp-ts/lib/TaskEither.js'
import type { SchemeQuery, SessionQuery, Store } from '../../../application/ports/store.ts'
import type { Application } from '../../../domain/application.ts'
import type { Session } from '../../../domain/session.ts'
import type { User } from '../../../domain/user.ts'
import { aSession } from '../../testkit/builders.ts'
import type { Mutation } from './harness.ts'
import type { Mutate } from './mutations.ts'
import {
  answer,
  beforeCommit,
  caught,
  each,
  everyRow,
  hear,
  learningLate,
  rowsIn,
  spoiling,
  utf8Order,
  without,
} from './stores.ts'

const ORDER = 'of sessions that expire together the greater id comes first, code point by code point'
const LIMIT = 'no more sessions are listed than asked for'
const UNTIL = 'a session is listed until the second in which it expires'
const LAST_WRITTEN = 'a session is listed as it was last written'
const NOT_LISTED = 'a session is not listed from when its application is revoked'
const NOT_THERE = 'a session that names an application that is not there is not listed'

const expiresFirst = (one: Session, other: Session): number => one.expiresAtSeconds - other.expiresAtSeconds
const idFirst = (one: Session, other: Session): number => utf8Order(one.id, other.id)

/** Lists sessions in another order. */
const ordering =
  (compare: (one: Session, other: Session) => number): Mutate<Store> =>
  (store) => ({
    listSessions: (query) =>
      TE.map((sessions: ReadonlyArray<Session>) => [...sessions].sort(compare).slice(0, query.limit))(
        store.listSessions({ ...query, limit: 1_000 }),
      ),
  })

const asking = (alter: (query: SessionQuery) => Partial<SessionQuery>): Mutate<Store> =>
  hear('listSessions', (query) => [{ ...query, ...alter(query) }])

/** Lists the matching sessions, latest expiry first. */
const seeing =
  (
    fits: (session: Session, query: SessionQuery, application: Option<Application>) => boolean,
  ): ((store: Store) => Pick<Store, 'listSessions'>) =>
  (store) => ({
    listSessions: (query) => async () => {
      const [rows, applications] = [
        await everyRow(store, 'sessions')(),
        await everyRow(store, 'applications')(),
      ]
      if (rows._tag === 'Left' || applications._tag === 'Left') return rows
      const applicationOf = ({ applicationId }: Session): Option<Application> => {
        const one = applications.right.find(({ id }) => id === applicationId)
        return one === undefined ? none : { _tag: 'Some', value: one }
      }
      const listed = rows.right
        .filter((session) => session.expiresAtSeconds > query.expiresAfterSeconds)
        .filter((session) => fits(session, query, applicationOf(session)))
        .sort((one, other) => expiresFirst(other, one) || idFirst(other, one))
      return { ...rows, right: listed.slice(0, Math.max(0, query.limit)) }
    },
  })

const isUsers = (session: Session, query: SessionQuery): boolean => session.userId === query.userId
const isCurrent = (session: Session, query: SessionQuery): boolean =>
  session.passwordVersion === query.passwordVersion && session.sessionsVersion === query.sessionsVersion
const isAlive = (session: Session, query: SessionQuery): boolean =>
  isUsers(session, query) && isCurrent(session, query) && !session.signedOut

/** Lists the sessions of users whose id resembles the requested one. */
const likeId = (isLike: (id: string, asked: string) => boolean): Mutate<Store> =>
  seeing(
    (session, query) =>
      isLike(session.userId, query.userId) && isCurrent(session, query) && !session.signedOut,
  )

/** Stores that list the wrong sessions of a user. */
const OF_SESSIONS: ReadonlyArray<Mutation<Mutate<Store>>> = [
  ...caught('sessions of a user are listed field by field', {
    ...spoiling(
      aSession(),
      (field) => `changes the ${field} of the sessions it lists`,
      (spoil) => each('listSessions', spoil),
    ),
  }),
  ...caught('the session that expires last comes first, whichever was written first', {
    'lists the newest id first': ordering((one, other) => idFirst(other, one)),
  }),
  ...caught(ORDER, {
    'lists the smaller id first': ordering(idFirst),
  }),
  ...caught(LIMIT, {
    'ignores the limit of sessions': asking(() => ({ limit: 1_000 })),
  }),
  ...caught(UNTIL, {
    'lists expired sessions': asking(() => ({ expiresAfterSeconds: 0 })),
  }),
  ...caught(['a session that is signed out is not listed', LAST_WRITTEN], {
    'lists sessions that are signed out': seeing(
      (session, query) => isUsers(session, query) && isCurrent(session, query),
    ),
  }),
  ...caught(['a session under another password version is not listed', LAST_WRITTEN], {
    'lists sessions under any password version': seeing(
      (session, query) => isUsers(session, query) && !session.signedOut,
    ),
  }),
  ...caught('the first sessions are left out as asked for', {
    'leaves out none': hear('listSessions', (query) => [{ ...query, skip: 0 }]),
  }),
  ...caught('a session under another sessions version is not listed', {
    'lists sessions under earlier sessions versions': seeing(
      (session, query) =>
        isUsers(session, query) && session.sessionsVersion <= query.sessionsVersion && !session.signedOut,
    ),
  }),
  ...caught('sessions of others are not listed, however alike their ids are', {
    'lists the sessions of all users': likeId(() => true),
  }),
  ...caught('what is listed once a commit has resolved holds its session', {
    'lists a session a turn late': (store) => {
      const { commit, isKnown } = learningLate(store)
      return { commit, ...without('listSessions', ({ id }) => !isKnown(id))(store) }
    },
  }),
  ...caught(NOT_LISTED, {
    'lists the sessions of a revoked application': seeing(
      (session, query, application) => isAlive(session, query) && isSome(application),
    ),
  }),
  ...caught(NOT_THERE, {
    'lists a session whose application is missing': seeing(
      (session, query, application) =>
        isAlive(session, query) && (isNone(application) || !application.value.revoked),
    ),
  }),
]

const unique = (schemes: ReadonlyArray<string>): Array<string> => [...new Set(schemes)]
const hasScheme = ({ passwordScheme }: User): boolean => passwordScheme !== ''
const inOrder = (schemes: Array<string>): Array<string> => unique(schemes).sort(utf8Order)

const pageOf = (listed: ReadonlyArray<string>, { after, limit }: SchemeQuery): ReadonlyArray<string> =>
  listed.filter((scheme) => after === '' || utf8Order(scheme, after) > 0).slice(0, Math.max(0, limit))

/** Makes the list of password schemes from all users. */
const schemes =
  (
    order: (schemes: Array<string>) => Array<string>,
    isListed = hasScheme,
    cut: (listed: ReadonlyArray<string>, query: SchemeQuery) => ReadonlyArray<string> = pageOf,
  ): Mutate<Store> =>
  (store) => ({
    listPasswordSchemes: (query) =>
      TE.map((users: ReadonlyArray<User>) =>
        cut(order(users.filter(isListed).map(({ passwordScheme }) => passwordScheme)), query),
      )(everyRow(store, 'users')),
  })

/** Lists other pages of the right schemes. */
const cutting = (cut: (listed: ReadonlyArray<string>, query: SchemeQuery) => ReadonlyArray<string>) =>
  schemes(inOrder, hasScheme, cut)

/** Stores that list the wrong password schemes. */
const PAGES = 'every password scheme is on one of the pages, and on no other'

const OF_SCHEMES: ReadonlyArray<Mutation<Mutate<Store>>> = [
  ...caught('password schemes are listed once each, code point by code point', {
    'lists password schemes without an order': schemes(unique),
  }),
  ...caught('a user without a password scheme has none listed', {
    'lists the password scheme of a user that has none': schemes(inOrder, () => true),
  }),
  ...caught('the password scheme of a disabled user is listed', {
    'lists the password schemes of enabled users only': schemes(
      inOrder,
      (user) => user.status === 'enabled' && hasScheme(user),
    ),
  }),
  ...caught('a password scheme is listed until its last user has another', {
    'keeps every password scheme': (store) => {
      const seen = new Set<string>()
      const commit = beforeCommit(store, (change) => {
        for (const user of rowsIn(change, 'users')) if (hasScheme(user)) seen.add(user.passwordScheme)
      })
      return {
        ...commit,
        ...answer('listPasswordSchemes', (_, query) => pageOf(inOrder([...seen]), query))(store),
      }
    },
  }),
  ...caught(['password schemes are listed from the one after a scheme on', PAGES], {
    'repeats the password scheme that it is asked to continue after': cutting((listed, { after, limit }) =>
      listed.filter((scheme) => utf8Order(scheme, after) >= 0).slice(0, limit),
    ),
  }),
  ...caught('no more password schemes are listed than asked for', {
    'ignores the limit of password schemes': cutting((listed, { after }) =>
      pageOf(listed, { after, limit: 1_000 }),
    ),
  }),
]

export const LIST_MUTATIONS = [...OF_SESSIONS, ...OF_SCHEMES]
