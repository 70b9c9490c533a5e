import { gitHubProvider } from '../../adapters/credentials/openid/github.ts'
import { openIdProvider } from '../../adapters/credentials/openid/openid-provider.ts'
import type { EmailTrust } from '../../adapters/credentials/openid/verified-email.ts'
import type { IdentityProvider } from '../../application/ports/identity-provider.ts'
import { startGitHub } from '../support/identity-providers/github.ts'
import { startEntra, startGoogle } from '../support/identity-providers/oidc-stand-ins.ts'
import { CLIENT, type StartStandIn } from '../support/identity-providers/stand-in.ts'
import { memoryIdentityProvider } from '../testkit/identity-provider/memory-identity-provider.ts'
import { identityProviderContract, type OpenIdentityProvider } from '../testkit/identity-provider.ts'
import { IDENTITY_PROVIDER_MUTATIONS } from './broken/identity-provider-mutations.ts'
import { catchesMutations } from './broken/port-mutations.ts'

/** An adapter with a real server in the place of its provider. */
const openWith =
  (start: StartStandIn, adapter: (issuer: string) => IdentityProvider): OpenIdentityProvider =>
  async ({ redirectUris, isAway = false }) => {
    const standIn = await start({ redirectUris })
    if (isAway) await standIn.stop()
    const { signIn, refuse } = standIn
    return { provider: adapter(standIn.issuer), signIn, refuse, ...(!isAway && { close: standIn.stop }) }
  }

const openId = (name: string, trustsEmail: EmailTrust) => (issuer: string) =>
  openIdProvider({ name, label: name, issuer, trustsEmail, ...CLIENT }, () => performance.now())

const gitHub = (issuer: string) => gitHubProvider({ name: 'github', label: 'GitHub', issuer, ...CLIENT })

const ADAPTERS: Readonly<Record<string, OpenIdentityProvider>> = {
  'OpenID with claims of Google': openWith(startGoogle, openId('google', 'gmail-and-hd')),
  'OpenID with claims of Entra': openWith(startEntra, openId('entra', 'xms_edov')),
  GitHub: openWith(startGitHub, gitHub),
}

for (const [name, open] of Object.entries(ADAPTERS))
  describe(`the contract of IdentityProvider, kept by ${name}`, () =>
    identityProviderContract({ describe, it }, open))

const openInMemory =
  (mutate: (good: IdentityProvider) => IdentityProvider = (good) => good): OpenIdentityProvider =>
  async ({ isAway = false }) => {
    const provider = memoryIdentityProvider()
    provider.beAway(isAway)
    return {
      provider: mutate(provider),
      signIn: async (url, person) => provider.signIn(url, person),
      refuse: async (url, error) => provider.refuse(url, error),
    }
  }

describe('the contract of IdentityProvider, kept by the fake of the testkit', () =>
  identityProviderContract({ describe, it }, openInMemory()))

describe('the contract of IdentityProvider is a contract', () =>
  catchesMutations<IdentityProvider>(
    (runner, mutate) => identityProviderContract(runner, openInMemory(mutate)),
    IDENTITY_PROVIDER_MUTATIONS,
  ))
