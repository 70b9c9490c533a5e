import type { IdentityProvider } from '../../../application/ports/identity-provider.ts'
import { type GitHubOptions, gitHubProvider } from './github.ts'
import { type OpenIdOptions, openIdProvider } from './openid-provider.ts'

export type IdentityProviderOptions =
  | (OpenIdOptions & Readonly<{ kind: 'openid' }>)
  | (GitHubOptions & Readonly<{ kind: 'github' }>)

/**
 * The provider of these options.
 *
 * @param now a clock that never goes back
 */
export const identityProvider = (options: IdentityProviderOptions, now: () => number): IdentityProvider =>
  options.kind === 'github' ? gitHubProvider(options) : openIdProvider(options, now)
