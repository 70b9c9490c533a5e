import { isNonEmpty } from 'fp-ts/lib/Array.js'
import { type Either, isLeft, isRight, left, right } from 'fp-ts/lib/Either.js'
import { pipe } from 'fp-ts/lib/function.js'
import { getOrElse, isNone, isSome, some } from 'fp-ts/lib/Option.js'
import { chunksOf, compact } from 'fp-ts/lib/ReadonlyArray.js'
import * as TE from 'fp-ts/lib/TaskEither.js'
import { attributesText } from '../../domain/attributes.ts'
import type { Factor } from '../../domain/factor.ts'
import type { IsStrongKey } from '../../domain/passkey-import.ts'
import { NO_ROLES } from '../../domain/roles.ts'
import { emailKey, type HashedPassword } from '../../domain/user.ts'
import {
  decideImports,
  type ImportDecision,
  type ImportedUser,
  type ImportRequest,
  type KnownUsers,
  validateImport,
} from '../../domain/user-import.ts'
import { newPasskey, passkeyIdOf } from '../factors/new-passkey.ts'
import { newTotp } from '../factors/new-totp.ts'
import type { Clock, Digests, Random } from '../ports/environment.ts'
import type { Overloaded } from '../ports/failures.ts'
import type { KeyWrapping } from '../ports/key-wrapping.ts'
import type { PasswordHasher } from '../ports/password-hasher.ts'
import type { Store, StoreUnavailable } from '../ports/store.ts'
import type { Fact, NewUser } from '../recording/facts.ts'
import { operatorOf, type Recorder, type RequestContext } from '../recording/recorder.ts'
import { inserted, updated } from '../recording/row-versions.ts'

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

/** Loads the check of public keys. It is asked for only if a line has passkeys. */
export type LoadKeyCheck = () => Promise<IsStrongKey>

type Dependencies = Readonly<{
  store: Pick<Store, 'findKnownUsers' | 'findUser' | 'findFactor'>
  hasher: Pick<PasswordHasher, 'assess' | 'verifyMs'>
  readPasswordRecord: ReadPasswordRecord
  loadKeyCheck: LoadKeyCheck
  wrapping: KeyWrapping
  clock: Clock
  digests: Digests
  random: Random
  record: Recorder
}>

/** Looks the users up before each attempt, because a repeated import consists of known users. */
export const importUsers =
  (dependencies: Dependencies): ImportUsers =>
  (context, requests) =>
  async () => {
    const checked = requests.map(await validatorFor(dependencies, requests))
    for (let attemptsLeft = MORE_ATTEMPTS; ; attemptsLeft -= 1) {
      const known = await lookUp(dependencies, checked.flatMap(rightOf))()
      if (isLeft(known)) return known
      const decisions = decideImports(checked, known.right)
      const users = newUsersIn(decisions)
      if (lacksKey(dependencies, users)) return KEY_MISSING
      const facts = users.flatMap((user) => factsOf(user, dependencies, known.right.former))
      if (!isNonEmpty(facts)) return right(decisions)
      const recorded = await dependencies.record(facts, operatorOf(context), context)()
      if (isRight(recorded)) return right(decisions)
      if (recorded.left._tag === 'StoreUnavailable') return left(recorded.left)
      if (attemptsLeft === 0) return left({ _tag: 'Overloaded', retryAfterSeconds: 1 })
    }
  }

/** Each failure means that another request registered one of the users, or enrolled one of the passkeys, meanwhile. */
const MORE_ATTEMPTS = 10

/** Decides as `importUsers` does, and writes nothing. It remembers the users of earlier calls, which the store does not contain. */
export const rehearseImport = (dependencies: Omit<Dependencies, 'random' | 'record'>): ImportUsers => {
  const earlier = {
    emailKeys: new Set<string>(),
    ids: new Set<string>(),
    credentialIds: new Set<string>(),
  }
  return (_, requests) => async () => {
    const users = requests.map(await validatorFor(dependencies, requests))
    const found = await lookUp(dependencies, users.flatMap(rightOf))()
    if (isLeft(found)) return found
    const keys = keysOf(users.flatMap(rightOf))
    const decisions = decideImports(users, {
      emailKeys: new Set([
        ...found.right.emailKeys,
        ...keys.emailKeys.filter((key) => earlier.emailKeys.has(key)),
      ]),
      ids: new Set([...found.right.ids, ...keys.ids.filter((id) => earlier.ids.has(id))]),
      removedIds: found.right.removedIds,
      credentialIds: new Set([
        ...found.right.credentialIds,
        ...credentialIdsOf(users.flatMap(rightOf)).filter((id) => earlier.credentialIds.has(id)),
      ]),
    })
    const newUsers = newUsersIn(decisions)
    if (lacksKey(dependencies, newUsers)) return KEY_MISSING
    const planned = keysOf(newUsers)
    for (const key of planned.emailKeys) earlier.emailKeys.add(key)
    for (const id of planned.ids) earlier.ids.add(id)
    for (const id of credentialIdsOf(newUsers)) earlier.credentialIds.add(id)
    return right(decisions)
  }
}

const lacksKey = (
  { wrapping }: Pick<Dependencies, 'wrapping'>,
  users: ReadonlyArray<ImportedUser>,
): boolean => isNone(wrapping.keyEncryptionKeyId) && users.some(({ totp }) => totp.length > 0)

const KEY_MISSING = left<KeyEncryptionKeyMissing>({ _tag: 'KeyEncryptionKeyMissing' })

const validatorFor = async (
  {
    hasher,
    readPasswordRecord,
    loadKeyCheck,
    clock,
  }: Pick<Dependencies, 'hasher' | 'readPasswordRecord' | 'loadKeyCheck' | 'clock'>,
  requests: ReadonlyArray<ImportRequest>,
) => {
  const hasPasskeys = requests.some(({ passkeys }) => Array.isArray(passkeys) && passkeys.length > 0)
  const isStrongKey: IsStrongKey = hasPasskeys ? await loadKeyCheck() : () => false
  const nowSeconds = Math.floor(clock() / 1000)
  const readRecord: ReadPasswordRecord = (text) => {
    const read = readPasswordRecord(text)
    if (isLeft(read)) return read
    const { scheme } = read.right
    const isReadable = isSome(hasher.verifyMs(some(scheme))) && hasher.assess(text) !== 'unreadable'
    return isReadable ? read : left(`The password hasher of this service cannot verify the scheme ${scheme}.`)
  }
  return (request: ImportRequest) => validateImport(request, { readRecord, isStrongKey, nowSeconds })
}

const newUsersIn = (decisions: ReadonlyArray<ImportDecision>): Array<ImportedUser> =>
  decisions.flatMap(rightOf).flatMap(({ user, isKnown }) => (isKnown ? [] : [user]))

const rightOf = <A>(either: Either<unknown, A>): Array<A> => (isRight(either) ? [either.right] : [])

/**
 * What the log says of a new user and its factors. A disabled one is imported and disabled in the same change, so that no sign-in succeeds in
 * between, and so are its roles. `UserImported` stays as it is, and programs that follow `UserDisabled` need nothing new.
 */
const factsOf = (
  { password, createdAtSeconds, status, roles, attributes, totp, passkeys, ...given }: ImportedUser,
  { random, wrapping, digests }: Pick<Dependencies, 'random' | 'wrapping' | 'digests'>,
  former: Formers,
): ReadonlyArray<Fact> => {
  const user: NewUser = {
    id: getOrElse(() => random.uuid())(given.id),
    email: given.email,
    emailVerified: given.emailVerified,
    passwordRecord: password.record,
    passwordScheme: password.scheme,
    emailVersion: 1,
    passwordVersion: 1,
    sessionsVersion: 1,
    allEndedVersion: 1,
    roles: NO_ROLES,
    status: 'enabled',
    attributes: attributesText(attributes),
  }
  const imported: Fact = { _tag: 'UserImported', user, createdAtSeconds }
  const apps = totp.map((app): Fact => {
    const factor = newTotp({ wrapping }, { ...app, userId: user.id, id: random.uuid(), mark: 0 })
    return { _tag: 'FactorImported', factor }
  })
  const keys = passkeys.map(({ name, ...passkey }): Fact => {
    const before = former.get(passkey.credentialId)
    const factor = { ...newPasskey({ digests }, { userId: user.id, passkey, former: before }), name }
    return { _tag: 'FactorImported', factor }
  })
  const asImported = inserted({ ...user, createdAtSeconds })
  const withRoles = updated({ ...asImported, roles })
  const granted: ReadonlyArray<Fact> = [{ _tag: 'UserRolesChanged', user: asImported, roles }]
  const disabled: ReadonlyArray<Fact> = [
    { _tag: 'UserDisabled', user: roles.length === 0 ? asImported : withRoles },
  ]
  return [
    imported,
    ...(roles.length === 0 ? [] : granted),
    ...apps,
    ...keys,
    ...(status === 'disabled' ? disabled : []),
  ]
}

const keysOf = (users: ReadonlyArray<ImportedUser>) => ({
  emailKeys: users.map(({ email }) => emailKey(email)),
  ids: [...compact(users.map(({ id }) => id))],
})

const credentialIdsOf = (users: ReadonlyArray<ImportedUser>): ReadonlyArray<string> =>
  users.flatMap(({ passkeys }) => passkeys.map(({ credentialId }) => credentialId))

/** The removed factors of passkeys that may be enrolled again, by their credential ids. */
type Formers = ReadonlyMap<string, Factor>

type Found = KnownUsers & Readonly<{ former: Formers }>

/** Returns which of these e-mails, ids and passkeys the store contains. */
const lookUp = (
  { store, digests }: Pick<Dependencies, 'store' | 'digests'>,
  users: ReadonlyArray<ImportedUser>,
): TE.TaskEither<StoreUnavailable, Found> =>
  pipe(
    store.findKnownUsers(keysOf(users)),
    TE.bindTo('known'),
    TE.let('unknown', ({ known }) => {
      const emailKeys = new Set(known.emailKeys)
      return users.filter(({ email }) => !emailKeys.has(emailKey(email)))
    }),
    TE.bind('factors', ({ unknown }) => findPasskeys({ store, digests }, credentialIdsOf(unknown))),
    TE.bind('removedIds', ({ known, unknown }) => {
      const taken = new Set(known.ids)
      return findRemoved(
        store,
        keysOf(unknown).ids.filter((id) => taken.has(id)),
      )
    }),
    TE.map(({ known, factors, removedIds }) => ({
      emailKeys: new Set(known.emailKeys),
      ids: new Set(known.ids),
      removedIds: new Set(removedIds),
      credentialIds: new Set(factors.flatMap(([id, { removed }]) => (removed ? [] : [id]))),
      former: new Map(factors),
    })),
  )

type Named = readonly [credentialId: string, factor: Factor]

/** Returns the factors of these passkeys, also removed ones. */
const findPasskeys = (
  { store, digests }: Pick<Dependencies, 'store' | 'digests'>,
  credentialIds: ReadonlyArray<string>,
): TE.TaskEither<StoreUnavailable, ReadonlyArray<Named>> =>
  pipe(
    chunksOf(CONCURRENT_READS)([...new Set(credentialIds)]),
    TE.traverseSeqArray(
      TE.traverseArray((credentialId) =>
        pipe(
          store.findFactor(passkeyIdOf({ digests }, { credentialId })),
          TE.map(
            (found): ReadonlyArray<Named> => (isSome(found) ? [[credentialId, found.value.factor]] : []),
          ),
        ),
      ),
    ),
    TE.map((chunks) => chunks.flat(2)),
  )

/** Returns those of these ids whose users are removed. */
const findRemoved = (
  store: Pick<Store, 'findUser'>,
  ids: ReadonlyArray<string>,
): TE.TaskEither<StoreUnavailable, ReadonlyArray<string>> =>
  pipe(
    chunksOf(CONCURRENT_READS)([...new Set(ids)]),
    TE.traverseSeqArray(TE.traverseArray(store.findUser)),
    TE.map((chunks) =>
      compact(chunks.flat()).flatMap(({ id, status }) => (status === 'removed' ? [id] : [])),
    ),
  )

/** Leaves connections to the server beside it. */
const CONCURRENT_READS = 8
