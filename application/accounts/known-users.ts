import { pipe } from 'fp-ts/lib/function.js'
import { isSome } from 'fp-ts/lib/Option.js'
import { chunksOf, compact } from 'fp-ts/lib/ReadonlyArray.js'
import * as TE from 'fp-ts/lib/TaskEither.js'
import type { Factor } from '../../domain/factor.ts'
import { identityMaterial } from '../../domain/identity.ts'
import { emailKey } from '../../domain/user.ts'
import type { ImportedUser, KnownUsers } from '../../domain/user-import.ts'
import { identityIdOf } from '../factors/identity-factor.ts'
import { passkeyIdOf } from '../factors/new-passkey.ts'
import type { Digests } from '../ports/environment.ts'
import type { Store, StoreUnavailable } from '../ports/store.ts'

/** Returns what a store finds these users by. */
export const keysOf = (users: ReadonlyArray<ImportedUser>) => ({
  emailKeys: users.map(({ email }) => emailKey(email)),
  ids: [...compact(users.map(({ id }) => id))],
})

/** The removed factors that may be enrolled again, by their `factorKeysOf`. */
export type Formers = ReadonlyMap<string, Factor>

type Found = KnownUsers & Readonly<{ former: Formers }>

/** Returns which of these e-mails, ids, passkeys and identities the store contains. */
export const lookUp = (
  {
    store,
    digests,
  }: Readonly<{ store: Pick<Store, 'findKnownUsers' | 'findUser' | 'findFactor'>; digests: Digests }>,
  users: ReadonlyArray<ImportedUser>,
): TE.TaskEither<StoreUnavailable, Found> =>
  pipe(
    store.findKnownUsers(keysOf(users)),
    TE.bindTo('known'),
    TE.let('unknown', ({ known }) => {
      const emailKeys = new Set(known.emailKeys)
      return users.filter(({ email }) => !emailKeys.has(emailKey(email)))
    }),
    TE.bind('factors', ({ unknown }) => findFactors(store, unknown.flatMap(namedFactorsOf({ digests })))),
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
      factorKeys: new Set(factors.flatMap(([key, { removed }]) => (removed ? [] : [key]))),
      former: new Map(factors),
    })),
  )

/** A key of a factor, and the id that follows from it. */
type Named = readonly [key: string, id: string]

const namedFactorsOf =
  (dependencies: Readonly<{ digests: Digests }>) =>
  ({ passkeys, identities }: ImportedUser): ReadonlyArray<Named> => [
    ...passkeys.map((passkey) => [passkey.credentialId, passkeyIdOf(dependencies, passkey)] as const),
    ...identities.map((name) => [identityMaterial(name), identityIdOf(dependencies, name)] as const),
  ]

type Stored = readonly [key: string, factor: Factor]

/** Returns these factors, also removed ones. */
const findFactors = (
  store: Pick<Store, 'findFactor'>,
  named: ReadonlyArray<Named>,
): TE.TaskEither<StoreUnavailable, ReadonlyArray<Stored>> =>
  pipe(
    chunksOf(CONCURRENT_READS)([...new Map(named)]),
    TE.traverseSeqArray(
      TE.traverseArray(([key, id]) =>
        pipe(
          store.findFactor(id),
          TE.map((found): ReadonlyArray<Stored> => (isSome(found) ? [[key, found.value.factor]] : [])),
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
