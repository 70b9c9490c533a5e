import { pipe } from 'fp-ts/lib/function.js'
import { chain, fromNullable, map, none, type Option } from 'fp-ts/lib/Option.js'
import { base64url } from '../../domain/base64url.ts'
import type { Field } from '../../domain/field.ts'
import type { Session } from '../../domain/session.ts'
import { proofVersion, type User } from '../../domain/user.ts'
import type { Clock, Random } from '../ports/environment.ts'
import type { IdentityProvider, IdentityRequest } from '../ports/identity-provider.ts'
import type { SealedFor, Sealing } from '../ports/sealing.ts'
import { openSealed, type StateKind, sealState } from '../recording/sealed-state.ts'

/** The providers that the operator has set up, and what seals the transactions. */
export type Identities = Readonly<{ providers: ReadonlyArray<IdentityProvider>; sealing: Sealing }>

/** How long a user may take at the provider. */
export const IDENTITY_SECONDS = 600

/** What a transaction is for. It opens for nothing else, so neither another application nor another session can complete it. */
export const IDENTITY_FOR = {
  signIn: (applicationId: string): SealedFor => ['identity', 'sign_in', applicationId],
  link: (user: User, session: Pick<Session, 'id'>): SealedFor => [
    'identity',
    'link',
    user.id,
    session.id,
    proofVersion(user),
  ],
  stepUp: (session: Pick<Session, 'id'>): SealedFor => ['identity', 'step_up', session.id],
} as const

/** What a sign-in at a provider is bound to, from its start to its answer. */
export type IdentityTransaction = Readonly<{
  provider: IdentityProvider
  request: IdentityRequest
  issuedAtSeconds: number
}>

type Sealed = Readonly<{ clock: Clock; identities: Identities }>

/** Returns what a new sign-in at a provider is bound to. */
export const newIdentityRequest = (
  { random }: Readonly<{ random: Random }>,
  redirectUri: string,
  isAgain: boolean,
): IdentityRequest => ({
  redirectUri,
  state: newText(random),
  nonce: newText(random),
  codeVerifier: newText(random),
  isAgain,
})

/** 256 bits, as RFC 7636 §4.1 recommends for the code verifier. */
const newText = (random: Random): string => base64url(random.bytes(32))

/** Returns the transaction in a text that its holder can neither read nor change. Nothing is stored. */
export const sealTransaction = (
  { identities: { sealing }, ...dependencies }: Sealed & Readonly<{ random: Random }>,
  about: SealedFor,
  { name }: Pick<IdentityProvider, 'name'>,
  { redirectUri, state, nonce, codeVerifier, isAgain }: IdentityRequest,
): string =>
  sealState({ ...dependencies, sealing }, kindOf(about), [
    name,
    redirectUri,
    state,
    nonce,
    codeVerifier,
    isAgain === true ? AGAIN : '',
  ])

/** Returns the transaction that a client brings back: none if it has ended, is for something else, or its provider is gone. */
export const openTransaction = (
  { identities: { providers, sealing }, clock }: Sealed,
  sent: Field,
  about: SealedFor,
): Option<IdentityTransaction> =>
  pipe(
    openSealed({ sealing, clock }, sent, kindOf(about)),
    chain(({ issuedAtMs, parts }) => {
      const [name, redirectUri, state, nonce, codeVerifier, again] = parts
      if (redirectUri === undefined || state === undefined || nonce === undefined) return none
      if (codeVerifier === undefined) return none
      const request = { redirectUri, state, nonce, codeVerifier, isAgain: again === AGAIN }
      return pipe(
        fromNullable(providers.find((provider) => provider.name === name)),
        map((provider) => ({ provider, request, issuedAtSeconds: Math.floor(issuedAtMs / 1000) })),
      )
    }),
  )

const AGAIN = 'again'

const kindOf = (about: SealedFor): StateKind => ({ about, lifetimeSeconds: IDENTITY_SECONDS })
