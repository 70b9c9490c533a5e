import { isNonEmpty } from 'fp-ts/lib/Array.js'
import { type Either, isLeft, isRight, left, right } from 'fp-ts/lib/Either.js'
import { pipe } from 'fp-ts/lib/function.js'
import { getOrElse, isNone, isSome, some } from 'fp-ts/lib/Option.js'
import { compact } from 'fp-ts/lib/ReadonlyArray.js'
import * as TE from 'fp-ts/lib/TaskEither.js'
import { emailKey, type HashedPassword } from '../../domain/user.ts'
import {
  decideImports,
  type ImportDecision,
  type ImportedUser,
  type ImportRequest,
  type KnownUsers,
  validateImport,
} from '../../domain/user-import.ts'
import { newTotp } from '../factors/new-totp.ts'
import type { Clock, Random } from '../ports/environment.ts'
import type { Overloaded } from '../ports/failures.ts'
import type { KeyWrapping } from '../ports/key-wrapping.ts'
import type { PasswordHasher } from '../ports/password-hasher.ts'
import type { Store, StoreUnavailable } from '../ports/store.ts'
import type { Fact, NewUser } from '../recording/facts.ts'
import { operatorOf, type Recorder, type RequestContext } from '../recording/recorder.ts'
import { created } from '../recording/row-versions.ts'

/**
 * Imports users of another system, or of another store, for an operator, and returns the decision about each (docs/import.md). All new
 * users of a call are written as one change, so they share one durable write.
 */
export type ImportUsers = (
  context: RequestContext,
  requests: ReadonlyArray<ImportRequest>,
) => TE.TaskEither<KeyEncryptionKeyMissing | Overloaded | StoreUnavailable, ReadonlyArray<ImportDecision>>

/** A new user has secrets of authenticator apps, and no key encrypts them. None of the users was imported. */
export type KeyEncryptionKeyMissing = Readonly<{ _tag: 'KeyEncryptionKeyMissing' }>

/** Reads a password record of another system or of this one, or returns why not: a sentence without its salt and output. */
export type ReadPasswordRecord = (record: string) => Either<string, HashedPassword>

type Dependencies = Readonly<{
  store: Pick<Store, 'findKnownUsers'>
  hasher: Pick<PasswordHasher, 'assess' | 'verifyMs'>
  readPasswordRecord: ReadPasswordRecord
  wrapping: KeyWrapping
  clock: Clock
  random: Random
  record: Recorder
}>

/** Looks the users up before each attempt, because a repeated import consists of known users. */
export const importUsers =
  (dependencies: Dependencies): ImportUsers =>
  (context, requests) =>
  async () => {
    const checked = requests.map(validatorOf(dependencies))
    for (let attemptsLeft = MORE_ATTEMPTS; ; attemptsLeft -= 1) {
      const known = await lookUp(dependencies.store, checked.flatMap(rightOf))()
      if (isLeft(known)) return known
      const decisions = decideImports(checked, known.right)
      const users = newUsersIn(decisions)
      if (lacksKey(dependencies, users)) return KEY_MISSING
      const facts = users.flatMap((user) => factsOf(user, dependencies))
      if (!isNonEmpty(facts)) return right(decisions)
      const recorded = await dependencies.record(facts, operatorOf(context), context)()
      if (isRight(recorded)) return right(decisions)
      if (recorded.left._tag === 'StoreUnavailable') return left(recorded.left)
      if (attemptsLeft === 0) return left({ _tag: 'Overloaded', retryAfterSeconds: 1 })
    }
  }

/** Each failure means that another request registered one of the users meanwhile. */
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
    const newUsers = newUsersIn(decisions)
    if (lacksKey(dependencies, newUsers)) return KEY_MISSING
    const planned = keysOf(newUsers)
    for (const key of planned.emailKeys) earlier.emailKeys.add(key)
    for (const id of planned.ids) earlier.ids.add(id)
    return right(decisions)
  }
}

const lacksKey = (
  { wrapping }: Pick<Dependencies, 'wrapping'>,
  users: ReadonlyArray<ImportedUser>,
): boolean => isNone(wrapping.keyEncryptionKeyId) && users.some(({ totp }) => totp.length > 0)

const KEY_MISSING = left<KeyEncryptionKeyMissing>({ _tag: 'KeyEncryptionKeyMissing' })

const validatorOf = ({
  hasher,
  readPasswordRecord,
  clock,
}: Pick<Dependencies, 'hasher' | 'readPasswordRecord' | 'clock'>) => {
  const nowSeconds = Math.floor(clock() / 1000)
  const readRecord: ReadPasswordRecord = (text) => {
    const read = readPasswordRecord(text)
    if (isLeft(read)) return read
    const { scheme } = read.right
    const isReadable = isSome(hasher.verifyMs(some(scheme))) && hasher.assess(text) !== 'unreadable'
    return isReadable ? read : left(`The password hasher of this service cannot verify the scheme ${scheme}.`)
  }
  return (request: ImportRequest) => validateImport(request, { readRecord, nowSeconds })
}

const newUsersIn = (decisions: ReadonlyArray<ImportDecision>): Array<ImportedUser> =>
  decisions.flatMap(rightOf).flatMap(({ user, isKnown }) => (isKnown ? [] : [user]))

const rightOf = <A>(either: Either<unknown, A>): Array<A> => (isRight(either) ? [either.right] : [])

/**
 * What the log says of a new user and its authenticator apps. A disabled one is imported and disabled in the same change, so that no sign-in succeeds in
 * between. `UserImported` stays as it is, and programs that follow `UserDisabled` need nothing new.
 */
const factsOf = (
  { password, createdAtSeconds, status, totp, ...given }: ImportedUser,
  { random, wrapping }: Pick<Dependencies, 'random' | 'wrapping'>,
): ReadonlyArray<Fact> => {
  const user: NewUser = {
    id: getOrElse(() => random.uuid())(given.id),
    email: given.email,
    emailVerified: given.emailVerified,
    passwordRecord: password.record,
    passwordScheme: password.scheme,
    emailVersion: 1,
    passwordVersion: 1,
    status: 'enabled',
  }
  const imported: Fact = { _tag: 'UserImported', user, createdAtSeconds }
  const apps = totp.map((app): Fact => {
    const factor = newTotp({ random, wrapping }, { ...app, userId: user.id, mark: 0 })
    return { _tag: 'FactorImported', factor }
  })
  const asImported = created({ ...user, createdAtSeconds: some(createdAtSeconds) })
  const disabled: ReadonlyArray<Fact> = [{ _tag: 'UserDisabled', user: asImported }]
  return [imported, ...apps, ...(status === 'disabled' ? disabled : [])]
}

const keysOf = (users: ReadonlyArray<ImportedUser>) => ({
  emailKeys: users.map(({ email }) => emailKey(email)),
  ids: [...compact(users.map(({ id }) => id))],
})

/** Returns which of these e-mails and ids the store contains. */
const lookUp = (
  store: Pick<Store, 'findKnownUsers'>,
  users: ReadonlyArray<ImportedUser>,
): TE.TaskEither<StoreUnavailable, KnownUsers> =>
  pipe(
    store.findKnownUsers(keysOf(users)),
    TE.map(({ emailKeys, ids }) => ({ emailKeys: new Set(emailKeys), ids: new Set(ids) })),
  )
