import { pipe } from 'fp-ts/lib/function.js'
import { map } from 'fp-ts/lib/Option.js'
import * as TE from 'fp-ts/lib/TaskEither.js'
import type { ApplicationCaller, UserCaller } from '../../domain/access.ts'
import type { Application } from '../../domain/application.ts'
import type { Field } from '../../domain/field.ts'
import { isIdentityOf } from '../../domain/identity.ts'
import {
  type StartIdentityLink,
  type StartIdentitySignIn,
  type StartIdentityStepUp,
  startIdentityLink,
  startIdentitySignIn,
  startIdentityStepUp,
} from '../factors/start-identity.ts'
import type { IdentityProvider } from '../ports/identity-provider.ts'
import type { Store, StoreUnavailable } from '../ports/store.ts'
import { type CompleteIdentitySignInOf, completeIdentitySignInOf } from '../sessions/identity-sign-in.ts'

/** Below it is the page of each provider, to which its answers come. */
export const IDENTITY_PAGES = '/account/identity'

/** A provider as the pages show it. */
export type PageProvider = Pick<IdentityProvider, 'name' | 'label' | 'isNeverAgain'>

type Asked = Readonly<{ provider: Field }>

/** What the pages do with identity providers. */
export type PageIdentities = Readonly<{
  providers: ReadonlyArray<PageProvider>
  startSignIn: (
    caller: ApplicationCaller,
    request: Asked & Readonly<{ loginHint: Field; isAgain: boolean }>,
  ) => ReturnType<StartIdentitySignIn>
  startLink: (caller: UserCaller, request: Asked) => ReturnType<StartIdentityLink>
  startStepUp: (caller: UserCaller, request: Asked) => ReturnType<StartIdentityStepUp>
  completeSignIn: CompleteIdentitySignInOf
  /** The names of the providers at which the user has an identity. */
  linkedAt: LinkedAt
}>

/** Its type is named, so that the package publishes its import as it is written. */
export type LinkedAt = (
  caller: Pick<UserCaller, 'user'>,
) => TE.TaskEither<StoreUnavailable, ReadonlyArray<string>>

type Dependencies = Parameters<typeof completeIdentitySignInOf>[0] &
  Readonly<{ store: Pick<Store, 'listFactors'>; settings: Readonly<{ issuer: string }> }>

/**
 * The application of the pages has no redirect URIs of its own: it is no client of the OpenID provider. The only one of a provider is its page.
 */
export const pageIdentities = (dependencies: Dependencies): PageIdentities => {
  const { identities, settings, store } = dependencies
  const pageOf = ({ provider }: Asked) => `${settings.issuer}${IDENTITY_PAGES}/${provider}`
  const withPage = (application: Application, asked: Asked): Application => ({
    ...application,
    clientKind: 'confidential',
    redirectUris: [pageOf(asked)],
  })
  const start = {
    signIn: startIdentitySignIn(dependencies),
    link: startIdentityLink(dependencies),
    stepUp: startIdentityStepUp(dependencies),
  }
  const asUser = (caller: UserCaller, asked: Asked): UserCaller => ({
    ...caller,
    application: map((application: Application) => withPage(application, asked))(caller.application),
  })
  return {
    providers: identities.providers,
    startSignIn: (caller, asked) =>
      start.signIn(
        { ...caller, application: withPage(caller.application, asked) },
        { ...asked, redirectUri: pageOf(asked) },
      ),
    startLink: (caller, asked) => start.link(asUser(caller, asked), { ...asked, redirectUri: pageOf(asked) }),
    startStepUp: (caller, asked) =>
      start.stepUp(asUser(caller, asked), { ...asked, redirectUri: pageOf(asked) }),
    completeSignIn: completeIdentitySignInOf(dependencies),
    linkedAt: ({ user }) =>
      pipe(
        store.listFactors(user.id),
        TE.map((factors) =>
          identities.providers
            .filter(({ issuer }) => factors.some((factor) => isIdentityOf(issuer, factor)))
            .map(({ name }) => name),
        ),
      ),
  }
}
