import { isNonEmpty } from 'fp-ts/lib/Array.js'
import { type Either, isLeft, isRight, left, right } from 'fp-ts/lib/Either.js'
import { getOrElse, isNone, isSome, some } from 'fp-ts/lib/Option.js'
import type * as TE from 'fp-ts/lib/TaskEither.js'
import { attributesText } from '../../domain/attributes.ts'
import { identityMaterial } from '../../domain/identity.ts'
import type { IsStrongKey } from '../../domain/passkey-import.ts'
import { NO_ROLES } from '../../domain/roles.ts'
import type { HashedPassword } from '../../domain/user.ts'
import {
  decideImports,
  factorKeysOf,
  type ImportDecision,
  type ImportedUser,
  type ImportRequest,
  validateImport,
} from '../../domain/user-import.ts'
import { identityFactor } from '../factors/identity-factor.ts'
import { newPasskey } from '../factors/new-passkey.ts'
import { newTotp } from '../factors/new-totp.ts'
import type { Clock, Digests, Random } from '../ports/environment.ts'
import type { Overloaded } from '../ports/failures.ts'
import type { KeyWrapping } from '../ports/key-wrapping.ts'
import type { PasswordHasher } from '../ports/password-hasher.ts'
import type { Store, StoreUnavailable } from '../ports/store.ts'
import type { Fact, NewUser } from '../recording/facts.ts'
import { operatorOf, type Recorder, type RequestContext } from '../recording/recorder.ts'
import { inserted, updated } from '../recording/row-versions.ts'
import { type Formers, keysOf, lookUp } from './known-users.ts'

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
    factorKeys: new Set<string>(),
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
      factorKeys: new Set([
        ...found.right.factorKeys,
        ...users
          .flatMap(rightOf)
          .flatMap(factorKeysOf)
          .filter((key) => earlier.factorKeys.has(key)),
      ]),
    })
    const newUsers = newUsersIn(decisions)
    if (lacksKey(dependencies, newUsers)) return KEY_MISSING
    const planned = keysOf(newUsers)
    for (const key of planned.emailKeys) earlier.emailKeys.add(key)
    for (const id of planned.ids) earlier.ids.add(id)
    for (const key of newUsers.flatMap(factorKeysOf)) earlier.factorKeys.add(key)
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
  { password, createdAtSeconds, status, roles, attributes, ...given }: ImportedUser,
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
  const apps = given.totp.map((app): Fact => {
    const factor = newTotp({ wrapping }, { ...app, userId: user.id, id: random.uuid(), mark: 0 })
    return { _tag: 'FactorImported', factor }
  })
  const keys = given.passkeys.map(({ name, ...passkey }): Fact => {
    const before = former.get(passkey.credentialId)
    const factor = { ...newPasskey({ digests }, { userId: user.id, passkey, former: before }), name }
    return { _tag: 'FactorImported', factor }
  })
  const identities = given.identities.map((identity): Fact => {
    const before = former.get(identityMaterial(identity))
    const factor = identityFactor({ digests }, { userId: user.id, identity, former: before })
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
    ...identities,
    ...(status === 'disabled' ? disabled : []),
  ]
}
