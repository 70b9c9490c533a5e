import { isLeft, right } from 'fp-ts/lib/Either.js'
import { isNone, isSome, none, type Option, some } from 'fp-ts/lib/Option.js'
import type * as TE from 'fp-ts/lib/TaskEither.js'
import type { FactorFacts } from '../../domain/factor.ts'
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

/** Finds the factor of an identity. */
export const findLinked = (
  { store, digests }: Readonly<{ store: Pick<Store, 'findFactor'>; digests: Digests }>,
  name: IdentityName,
): TE.TaskEither<StoreUnavailable, Option<FactorFacts>> =>
  store.findFactor(identityId(digests.sha256(identityMaterial(name))))

/** Returns the factor of an identity for a user. Its material is what its id is the digest of. */
export const newIdentityFactor = (
  { digests }: Readonly<{ digests: Digests }>,
  { provider, identity: { subject }, linked }: ProvedIdentity,
  userId: string,
): NewFactor => {
  const material = identityMaterial({ issuer: provider.issuer, subject })
  return {
    id: identityId(digests.sha256(material)),
    userId,
    kind: 'identity',
    name: provider.label,
    material,
    mark: 0,
    answered: '',
    counter: 0,
    flags: '',
    version: isSome(linked) ? linked.value.factor.version : 0,
  }
}

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
