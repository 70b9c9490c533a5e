import { chunksOf, isNonEmpty } from 'fp-ts/lib/Array.js'
import { type Either, isLeft, isRight, left, right } from 'fp-ts/lib/Either.js'
import { getOrElse, isSome, some } from 'fp-ts/lib/Option.js'
import { compact } from 'fp-ts/lib/ReadonlyArray.js'
import type * as TE from 'fp-ts/lib/TaskEither.js'
import { emailKey, type HashedPassword, type User } from '../domain/user.ts'
import {
  decideImports,
  type ImportDecision,
  type ImportedUser,
  type ImportRequest,
  type KnownUsers,
  NO_KNOWN_USERS,
  validateImport,
} from '../domain/user-import.ts'
import type { Clock, Random } from './ports/environment.ts'
import type { Overloaded } from './ports/failures.ts'
import type { PasswordHasher } from './ports/password-hasher.ts'
import type { Store, StoreUnavailable } from './ports/store.ts'
import type { Fact } from './recording/facts.ts'
import { operatorOf, type Recorder, type RequestContext } from './recording/recorder.ts'

/**
 * Imports users of another system for an operator, and returns the decision about each (docs/import.md). All new users of a call are
 * written as one change, so they share one durable write.
 */
export type ImportUsers = (
  context: RequestContext,
  requests: ReadonlyArray<ImportRequest>,
) => TE.TaskEither<Overloaded | StoreUnavailable, ReadonlyArray<ImportDecision>>

/** Reads a password record of another system, or returns why not: a sentence without any part of the record. */
export type ReadPasswordRecord = (record: string) => Either<string, HashedPassword>

type Dependencies = Readonly<{
  store: Pick<Store, 'findUser' | 'findUserByEmail'>
  hasher: Pick<PasswordHasher, 'assess' | 'verifyMs'>
  readPasswordRecord: ReadPasswordRecord
  clock: Clock
  random: Random
  record: Recorder
}>

/** Expects new users, and looks them up only if the store refuses the change. */
export const importUsers =
  (dependencies: Dependencies): ImportUsers =>
  (context, requests) =>
  async () => {
    const users = requests.map(validatorOf(dependencies))
    let known = NO_KNOWN_USERS
    for (let attemptsLeft = MORE_ATTEMPTS; ; attemptsLeft -= 1) {
      const decisions = decideImports(users, known)
      const facts = newUsersIn(decisions).map((user) => factOf(user, dependencies.random))
      if (!isNonEmpty(facts)) return right(decisions)
      const recorded = await dependencies.record(facts, operatorOf(context), context)()
      if (isRight(recorded)) return right(decisions)
      if (recorded.left._tag === 'StoreUnavailable') return left(recorded.left)
      if (attemptsLeft === 0) return left({ _tag: 'Overloaded', retryAfterSeconds: 1 })
      const found = await lookUp(dependencies.store, users.flatMap(rightOf))()
      if (isLeft(found)) return found
      known = found.right
    }
  }

/** After the first look-up, each failure means that another request registered one of the users meanwhile. */
const MORE_ATTEMPTS = 10

/** Decides as `importUsers` does, and writes nothing. It remembers the users of earlier calls, which the store does not contain. */
export const rehearseImport = (dependencies: Omit<Dependencies, 'random' | 'record'>): ImportUsers => {
  const earlier = { emailKeys: new Set<string>(), ids: new Set<string>() }
  return (_, requests) => async () => {
    const users = requests.map(validatorOf(dependencies))
    const found = await lookUp(dependencies.store, users.flatMap(rightOf))()
    if (isLeft(found)) return found
    const keys = keysOf(users.flatMap(rightOf))
    const decisions = decideImports(users, {
      emailKeys: new Set([
        ...found.right.emailKeys,
        ...keys.emailKeys.filter((key) => earlier.emailKeys.has(key)),
      ]),
      ids: new Set([...found.right.ids, ...keys.ids.filter((id) => earlier.ids.has(id))]),
    })
    const planned = keysOf(newUsersIn(decisions))
    for (const key of planned.emailKeys) earlier.emailKeys.add(key)
    for (const id of planned.ids) earlier.ids.add(id)
    return right(decisions)
  }
}

const validatorOf = ({
  hasher,
  readPasswordRecord,
  clock,
}: Pick<Dependencies, 'hasher' | 'readPasswordRecord' | 'clock'>) => {
  const nowSeconds = Math.floor(clock() / 1000)
  const readRecord: ReadPasswordRecord = (text) => {
    const read = readPasswordRecord(text)
    if (isLeft(read)) return read
    const isReadable =
      isSome(hasher.verifyMs(some(read.right.scheme))) && hasher.assess(text) !== 'unreadable'
    return isReadable ? read : left('The password hasher of this service cannot verify it.')
  }
  return (request: ImportRequest) => validateImport(request, { readRecord, nowSeconds })
}

const newUsersIn = (decisions: ReadonlyArray<ImportDecision>): Array<ImportedUser> =>
  decisions.flatMap(rightOf).flatMap(({ user, isKnown }) => (isKnown ? [] : [user]))

const rightOf = <A>(either: Either<unknown, A>): Array<A> => (isRight(either) ? [either.right] : [])

const factOf = ({ password, createdAtSeconds, ...user }: ImportedUser, random: Random): Fact => ({
  _tag: 'UserImported',
  user: {
    id: getOrElse(() => random.uuid())(user.id),
    email: user.email,
    emailVerified: user.emailVerified,
    passwordRecord: password.record,
    passwordScheme: password.scheme,
    passwordVersion: 1,
    status: 'enabled',
  },
  createdAtSeconds,
})

const keysOf = (users: ReadonlyArray<ImportedUser>) => ({
  emailKeys: users.map(({ email }) => emailKey(email)),
  ids: [...compact(users.map(({ id }) => id))],
})

/** Returns which of these e-mails the store contains, and which ids of the users with other e-mails. */
const lookUp =
  (
    store: Pick<Store, 'findUser' | 'findUserByEmail'>,
    users: ReadonlyArray<ImportedUser>,
  ): TE.TaskEither<StoreUnavailable, KnownUsers> =>
  async () => {
    const byEmail = await findAll(users.map(({ email }) => store.findUserByEmail(email)))()
    if (isLeft(byEmail)) return byEmail
    const emailKeys = new Set(byEmail.right.map(({ email }) => emailKey(email)))
    const { ids } = keysOf(users.filter(({ email }) => !emailKeys.has(emailKey(email))))
    const byId = await findAll(ids.map((id) => store.findUser(id)))()
    return isLeft(byId) ? byId : right({ emailKeys, ids: new Set(byId.right.map(({ id }) => id)) })
  }

/** Runs look-ups, some of them at once, and returns the users that were found. */
const findAll =
  (lookUps: Array<ReturnType<Store['findUser']>>): TE.TaskEither<StoreUnavailable, ReadonlyArray<User>> =>
  async () => {
    const found: Array<User> = []
    for (const part of chunksOf(LOOK_UPS_AT_ONCE)(lookUps)) {
      for (const answer of await Promise.all(part.map((run) => run()))) {
        if (isLeft(answer)) return answer
        if (isSome(answer.right)) found.push(answer.right.value)
      }
    }
    return right(found)
  }

/** Enough to keep the connections of a store busy. */
const LOOK_UPS_AT_ONCE = 50
