import {
  bimap,
  bindTo,
  bindW,
  type Either,
  fromOption,
  isLeft,
  isRight,
  left,
  map,
  right,
  traverseArray,
} from 'fp-ts/lib/Either.js'
import { pipe } from 'fp-ts/lib/function.js'
import { chunksOf, flatten } from 'fp-ts/lib/ReadonlyArray.js'
import * as TE from 'fp-ts/lib/TaskEither.js'
import { type Factor, isIdentity } from '../../domain/factor.ts'
import { type IdentityName, identityName } from '../../domain/identity.ts'
import {
  type PasskeyCredential,
  type PasskeyFlags,
  passkeyCredential,
  readPasskeyFlags,
} from '../../domain/passkey.ts'
import { hasPassword, type User } from '../../domain/user.ts'
import { wrappedKeyOf } from '../factors/wrapped-secret.ts'
import type { KeyWrapping } from '../ports/key-wrapping.ts'
import type { Store, StoreUnavailable } from '../ports/store.ts'
import { pages } from '../recording/pages.ts'
import { operatorOf, type Recorder, type RequestContext, ruleOut } from '../recording/recorder.ts'
import type { ReadPasswordRecord } from './import-users.ts'

/**
 * Exports all users except removed ones, with their password records, the secrets of their authenticator apps, their passkeys
 * and their identities, for an operator (docs/import.md, "Leave"). It yields one step after the other, and stops after a failure. Nothing happens before the first
 * step is asked for, or after the caller stops asking.
 *
 * First it counts the users, decrypts every secret, and reads every passkey and identity: without one, a user would come back without
 * it. Then it commits `UsersExported`. Only then it yields users, in pages, ascending by id, each as it is when its page is read. So no caller has a record
 * whose export the log does not contain.
 */
export type ExportUsers = (context: RequestContext) => AsyncGenerator<Either<ExportFailure, ExportStep>, void>

export type ExportFailure = StoreUnavailable | SecretUnreadable | FactorDamaged

/** `reason` is for operators, and contains no secret. */
export type SecretUnreadable = Readonly<{ _tag: 'SecretUnreadable'; userId: string; reason: string }>

/** The row of a passkey or of an identity is damaged. */
export type FactorDamaged = Readonly<{
  _tag: 'PasskeyDamaged' | 'IdentityDamaged'
  userId: string
  factorId: string
}>

export type ExportStep =
  /** So many users are counted up to now. */
  | Readonly<{ _tag: 'Counted'; users: number }>
  /** `UsersExported` is in the log, with this count. */
  | Readonly<{ _tag: 'Noted'; users: number }>
  | Readonly<{ _tag: 'Read'; users: ReadonlyArray<ExportedUser> }>

/** A user, and the scheme of its record: '' without a password. If it is undefined, an import refuses the record. */
export type ExportedUser = Readonly<{
  user: User
  scheme: string | undefined
}> &
  ExportedFactors

/** The factors of a user that an import takes back. Recovery codes are not among them. */
export type ExportedFactors = Readonly<{
  totp: ReadonlyArray<ExportedTotp>
  passkeys: ReadonlyArray<ExportedPasskey>
  identities: ReadonlyArray<ExportedIdentity>
}>

/** A passkey. None of it is secret. */
export type ExportedPasskey = PasskeyCredential & PasskeyFlags & Readonly<{ counter: number; name: string }>

/** An identity at another provider. None of it is secret. */
export type ExportedIdentity = IdentityName & Readonly<{ name: string }>

/** An authenticator app. Its secret is in base32. */
export type ExportedTotp = Readonly<{ secret: string; name: string }>

type Dependencies = Readonly<{
  store: Pick<Store, 'listUsers' | 'listFactors' | 'listRows'>
  readPasswordRecord: ReadPasswordRecord
  wrapping: KeyWrapping
  record: Recorder
}>

export const exportUsers = ({ store, readPasswordRecord, wrapping, record }: Dependencies): ExportUsers =>
  async function* (context) {
    let count = 0
    for await (const page of userPages(store)) {
      if (isLeft(page)) return yield page
      count += page.right.length
      yield right({ _tag: 'Counted', users: count })
    }
    const factors = await countFactors({ store, wrapping })
    if (isLeft(factors)) return yield factors
    const noted = await record([{ _tag: 'UsersExported', count }], operatorOf(context), context)()
    if (isLeft(noted)) return yield left(ruleOut(noted.left, 'Conflict', 'EmailTaken'))
    yield right({ _tag: 'Noted', users: count })
    const schemeOf = (record: string) => {
      const read = readPasswordRecord(record)
      return isRight(read) ? read.right.scheme : undefined
    }
    for await (const page of userPages(store)) {
      if (isLeft(page)) return yield page
      const found = await factorsOf({ store, wrapping }, factors.right === 0 ? [] : page.right)()
      if (isLeft(found)) return yield found
      const users = page.right.map((user, index) => {
        const scheme = hasPassword(user) ? schemeOf(user.passwordRecord) : ''
        return { user, scheme, ...(found.right[index] ?? NO_FACTORS) }
      })
      yield right({ _tag: 'Read', users })
    }
  }

const NO_FACTORS: ExportedFactors = { totp: [], passkeys: [], identities: [] }

const userPages = (store: Pick<Store, 'listUsers'>) =>
  pages(
    (after: string, limit) => store.listUsers({ after, limit }),
    '',
    ({ id }) => id,
  )

type Factors<Read extends keyof Store> = Readonly<{ store: Pick<Store, Read>; wrapping: KeyWrapping }>

/** Returns the number of apps, passkeys and identities, or the first one that cannot be exported. */
const countFactors = async ({
  store,
  wrapping,
}: Factors<'listRows'>): Promise<Either<ExportFailure, number>> => {
  let count = 0
  const read = (after: string, limit: number) => store.listRows({ table: 'factors', after, limit })
  for await (const page of pages(read, '', ({ id }) => id)) {
    if (isLeft(page)) return page
    const found = exportable(page.right, wrapping)
    if (isLeft(found)) return found
    count += Object.values(found.right).flat().length
  }
  return right(count)
}

/** Returns the factors of each of these users, in their order. */
const factorsOf = (
  { store, wrapping }: Factors<'listFactors'>,
  users: ReadonlyArray<User>,
): TE.TaskEither<ExportFailure, ReadonlyArray<ExportedFactors>> =>
  pipe(
    chunksOf(CONCURRENT_READS)(users),
    TE.traverseSeqArray(
      TE.traverseArray(({ id }) =>
        pipe(
          store.listFactors(id),
          TE.chainEitherKW((factors) => exportable(factors, wrapping)),
        ),
      ),
    ),
    TE.map(flatten),
  )

/** Leaves connections to the server beside it. */
const CONCURRENT_READS = 8

const exportable = (
  factors: ReadonlyArray<Factor>,
  wrapping: KeyWrapping,
): Either<SecretUnreadable | FactorDamaged, ExportedFactors> =>
  pipe(
    appsAmong(factors, wrapping),
    bindTo('totp'),
    bindW('passkeys', () => passkeysAmong(factors)),
    bindW('identities', () => identitiesAmong(factors)),
  )

const passkeysAmong = (
  factors: ReadonlyArray<Factor>,
): Either<FactorDamaged, ReadonlyArray<ExportedPasskey>> =>
  pipe(
    factors.filter(({ kind, removed }) => kind === 'passkey' && !removed),
    traverseArray(({ id, userId, name, material, counter, flags }) =>
      pipe(
        passkeyCredential(material),
        fromOption((): FactorDamaged => ({ _tag: 'PasskeyDamaged', userId, factorId: id })),
        map((credential) => ({ name, ...credential, counter, ...readPasskeyFlags(flags) })),
      ),
    ),
  )

const identitiesAmong = (
  factors: ReadonlyArray<Factor>,
): Either<FactorDamaged, ReadonlyArray<ExportedIdentity>> =>
  pipe(
    factors.filter((factor) => isIdentity(factor) && !factor.removed),
    traverseArray(({ id, userId, name, material }) =>
      pipe(
        identityName(material),
        fromOption((): FactorDamaged => ({ _tag: 'IdentityDamaged', userId, factorId: id })),
        map((identity) => ({ ...identity, name })),
      ),
    ),
  )

const appsAmong = (
  factors: ReadonlyArray<Factor>,
  wrapping: KeyWrapping,
): Either<SecretUnreadable, ReadonlyArray<ExportedTotp>> =>
  pipe(
    factors.filter(({ kind, removed }) => kind === 'totp' && !removed),
    traverseArray(({ id, userId, name, material }) =>
      pipe(
        wrapping.unwrap(material, wrappedKeyOf({ id })),
        bimap(
          ({ reason }): SecretUnreadable => ({ _tag: 'SecretUnreadable', userId, reason }),
          (secret): ExportedTotp => ({ secret, name }),
        ),
      ),
    ),
  )
