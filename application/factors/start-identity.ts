import { isLeft, left } from 'fp-ts/lib/Either.js'
import { pipe } from 'fp-ts/lib/function.js'
import { isNone } from 'fp-ts/lib/Option.js'
import * as TE from 'fp-ts/lib/TaskEither.js'
import type { ApplicationCaller, UserCaller } from '../../domain/access.ts'
import { type Field, type Invalid, invalid, isPresent } from '../../domain/field.ts'
import {
  type IdentityLinkStartProblem,
  type IdentityStartProblem,
  type IdentityStartRequest,
  validateIdentityLinkStart,
  validateIdentityStart,
} from '../../domain/identity.ts'
import type { OpenIdClient } from '../../domain/redirect-uris.ts'
import type { Clock, Random } from '../ports/environment.ts'
import type { ProviderUnavailable } from '../ports/identity-provider.ts'
import type { SealedFor } from '../ports/sealing.ts'
import type { Store, StoreUnavailable } from '../ports/store.ts'
import type { InvalidToken } from '../ports/token-format.ts'
import {
  IDENTITY_FOR,
  IDENTITY_SECONDS,
  type Identities,
  newIdentityRequest,
  sealTransaction,
} from './identity-transaction.ts'

/** Where the browser goes, and what the application keeps until it is back. */
export type StartedIdentity = Readonly<{
  url: string
  /** The answer has it, too. */
  state: string
  transaction: string
  expiresInSeconds: number
}>

/**
 * Begins a sign-in at a provider (docs/identities.md). Nothing is stored.
 *
 * @param request with `isAgain`, the user must authenticate there now
 */
export type StartIdentitySignIn = (
  caller: ApplicationCaller,
  request: IdentityStartRequest & Readonly<{ isAgain?: boolean }>,
) => TE.TaskEither<Invalid<IdentityStartProblem> | ProviderUnavailable, StartedIdentity>

/** Begins another authentication of a signed-in user, with an identity that is linked. */
export type StartIdentityStepUp = (
  caller: UserCaller,
  request: IdentityStartRequest,
) => TE.TaskEither<Invalid<IdentityStartProblem> | InvalidToken | ProviderUnavailable, StartedIdentity>

/** Begins the link of an identity to a signed-in user. */
export type StartIdentityLink = (
  caller: UserCaller,
  request: IdentityStartRequest,
) => TE.TaskEither<
  | Invalid<IdentityStartProblem | IdentityLinkStartProblem>
  | InvalidToken
  | ProviderUnavailable
  | StoreUnavailable,
  StartedIdentity
>

type Dependencies = Readonly<{ clock: Clock; random: Random; identities: Identities }>

export const startIdentitySignIn =
  (dependencies: Dependencies): StartIdentitySignIn =>
  ({ application }, { isAgain, ...request }) =>
    startIdentity(dependencies, {
      request,
      client: application,
      about: IDENTITY_FOR.signIn(application.id),
      isAgain,
    })

export const startIdentityStepUp =
  (dependencies: Dependencies): StartIdentityStepUp =>
  ({ session, application }, request) =>
    isNone(application)
      ? TE.left<InvalidToken>({ _tag: 'InvalidToken' })
      : startIdentity(dependencies, {
          request,
          client: application.value,
          about: IDENTITY_FOR.stepUp(session),
          isAgain: true,
        })

export const startIdentityLink =
  (dependencies: Dependencies & Readonly<{ store: Pick<Store, 'listFactors'> }>): StartIdentityLink =>
  ({ user, session, application }, request) =>
  async () => {
    if (isNone(application)) return left<InvalidToken>({ _tag: 'InvalidToken' })
    const factors = await dependencies.store.listFactors(user.id)()
    if (isLeft(factors)) return factors
    const may = validateIdentityLinkStart({ user, factors: factors.right })
    if (isLeft(may)) return left(invalid(may.left))
    return startIdentity(dependencies, {
      request,
      client: application.value,
      about: IDENTITY_FOR.link(user, session),
    })()
  }

type Start = Readonly<{
  request: IdentityStartRequest
  client: Pick<OpenIdClient, 'redirectUris' | 'clientKind'>
  about: SealedFor
  isAgain?: boolean | undefined
}>

const startIdentity = (
  dependencies: Dependencies,
  { request, client, about, isAgain = false }: Start,
): TE.TaskEither<Invalid<IdentityStartProblem> | ProviderUnavailable, StartedIdentity> => {
  const providers = dependencies.identities.providers.filter((one) => !(isAgain && one.isNeverAgain))
  const valid = validateIdentityStart(request, { providers, client })
  if (isLeft(valid)) return TE.left(invalid(valid.left))
  const { provider, redirectUri } = valid.right
  const asked = newIdentityRequest(dependencies, redirectUri, isAgain)
  return pipe(
    provider.start({ ...asked, ...hint(request.loginHint) }),
    TE.map((url) => ({
      url,
      state: asked.state,
      transaction: sealTransaction(dependencies, about, provider, asked),
      expiresInSeconds: IDENTITY_SECONDS,
    })),
  )
}

const hint = (loginHint: Field) => (isPresent(loginHint) ? { loginHint } : {})
