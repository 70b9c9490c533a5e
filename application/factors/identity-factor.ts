import { isLeft, right } from 'fp-ts/lib/Either.js'
import { isNone, isSome, none, type Option, some } from 'fp-ts/lib/Option.js'
import type * as TE from 'fp-ts/lib/TaskEither.js'
import type { Factor, FactorFacts } from '../../domain/factor.ts'
import {
  type IdentityName,
  identityId,
  identityMaterial,
  type UserWithFactors,
} from '../../domain/identity.ts'
import type { Digests } from '../ports/environment.ts'
import type { Identity, IdentityProvider } from '../ports/identity-provider.ts'
import type { Store, StoreUnavailable } from '../ports/store.ts'
import type { NewFactor } from '../recording/facts.ts'

/** An identity that a provider has proved, and the factor that names it, if anybody has or had it. */
export type ProvedIdentity = Readonly<{
  provider: IdentityProvider
  identity: Identity
  linked: Option<FactorFacts>
}>

/** Returns the id of the factor of an identity. */
export const identityIdOf = ({ digests }: Readonly<{ digests: Digests }>, name: IdentityName): string =>
  identityId(digests.sha256(identityMaterial(name)))

/** Finds the factor of an identity. */
export const findLinked = (
  { store, digests }: Readonly<{ store: Pick<Store, 'findFactor'>; digests: Digests }>,
  name: IdentityName,
): TE.TaskEither<StoreUnavailable, Option<FactorFacts>> => store.findFactor(identityIdOf({ digests }, name))

/** Returns the factor of an identity for a user. */
export const newIdentityFactor = (
  dependencies: Readonly<{ digests: Digests }>,
  { provider: { issuer, label }, identity: { subject }, linked }: ProvedIdentity,
  userId: string,
): NewFactor =>
  identityFactor(dependencies, {
    userId,
    identity: { issuer, subject, name: label },
    former: isSome(linked) ? linked.value.factor : undefined,
  })

/**
 * Returns the factor of an identity with its name. Its material is what its id is the digest of.
 *
 * @param former the removed factor of the same identity, if there is one
 */
export const identityFactor = (
  dependencies: Readonly<{ digests: Digests }>,
  {
    userId,
    identity,
    former,
  }: Readonly<{
    userId: string
    identity: IdentityName & Readonly<{ name: string }>
    former: Factor | undefined
  }>,
): NewFactor => ({
  id: identityIdOf(dependencies, identity),
  userId,
  kind: 'identity',
  name: identity.name,
  material: identityMaterial(identity),
  mark: 0,
  answered: '',
  counter: 0,
  flags: '',
  version: former?.version ?? 0,
})

/** Finds the user with an e-mail, and then all its factors, so that a later change of them is a conflict. */
export const findOwner =
  (
    store: Pick<Store, 'findUserByEmail' | 'listFactors'>,
    email: Option<string>,
  ): TE.TaskEither<StoreUnavailable, Option<UserWithFactors>> =>
  async () => {
    if (isNone(email)) return right(none)
    const found = await store.findUserByEmail(email.value)()
    if (isLeft(found)) return found
    if (isNone(found.right)) return right(none)
    const user = found.right.value
    const factors = await store.listFactors(user.id)()
    return isLeft(factors) ? factors : right(some({ user, factors: factors.right }))
  }
