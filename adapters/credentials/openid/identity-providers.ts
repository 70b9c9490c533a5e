import type { IdentityProvider } from '../../../application/ports/identity-provider.ts'
import type { GitHubOptions } from './github.ts'
import type { OpenIdOptions } from './openid-provider.ts'

export type IdentityProviderOptions =
  | (OpenIdOptions & Readonly<{ kind: 'openid' }>)
  | (GitHubOptions & Readonly<{ kind: 'github' }>)

/**
 * The providers of a service. Only what they need is loaded: openid-client takes 10 to 20 ms of a start.
 *
 * @param now a clock that never goes back
 */
export const loadIdentityProviders = (
  all: ReadonlyArray<IdentityProviderOptions>,
  now: () => number,
): Promise<ReadonlyArray<IdentityProvider>> =>
  Promise.all(
    all.map(async (options) =>
      options.kind === 'github'
        ? (await import('./github.ts')).gitHubProvider(options)
        : (await import('./openid-provider.ts')).openIdProvider(options, now),
    ),
  )
