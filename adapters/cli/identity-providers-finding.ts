import { isLeft } from 'fp-ts/lib/Either.js'
import type { IdentityProvider } from '../../application/ports/identity-provider.ts'
import type { Finding } from '../../application/ports/inspection.ts'
import type { IdentityRefusal } from '../../domain/identity-refusal.ts'
import type { Settings } from '../config/settings.ts'
import type { Composition } from './composition.ts'

/** Whether each identity provider answers as the settings say. It takes some ten seconds at most. No finding without providers. */
export const identityProvidersFinding = async (
  composition: Pick<Composition, 'openIdentityProviders'>,
  settings: Settings,
): Promise<ReadonlyArray<Finding>> => {
  const finding = (ok: boolean, detail: string): ReadonlyArray<Finding> => [
    { name: 'identity providers', ok, detail },
  ]
  try {
    const providers = await composition.openIdentityProviders(settings)
    if (providers.length === 0) return []
    const wrong = (await Promise.all(providers.map(problemsOf))).flat()
    const names = providers.map(({ name }) => name).join(', ')
    return wrong.length === 0 ? finding(true, `They answer: ${names}.`) : finding(false, wrong.join(' '))
  } catch (error) {
    return finding(
      false,
      error instanceof Error ? error.message : 'The identity providers cannot be checked.',
    )
  }
}

const problemsOf = async (provider: IdentityProvider): Promise<ReadonlyArray<string>> => {
  const { name, issuer } = provider
  const checked = await provider.check()()
  if (!isLeft(checked)) return []
  const { left: failure } = checked
  return failure._tag === 'ProviderUnavailable'
    ? [`${name} does not answer at ${issuer}: users cannot sign in with it. Check the network, or its proxy.`]
    : [`${name} answers at ${issuer}, but ${sentenceOf(failure.reason)}`]
}

const sentenceOf = (reason: IdentityRefusal): string =>
  reason === 'wrong_issuer'
    ? 'its metadata names another issuer. Set issuer to the one that it names.'
    : 'not as the settings say. Check issuer or base_url, client_id and client_secret.'
