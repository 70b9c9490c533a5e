import { isLeft } from 'fp-ts/lib/Either.js'
import { identityProvidersIn } from '../config/identity-providers.ts'
import { WrongSettings } from '../config/settings.ts'
import { Dependency, needs } from './dependencies.ts'
import { type Module, provide } from './provide.ts'

/** The providers with which users sign in. A service without them loads nothing of theirs. */
export const identityProviders: Module = provide(
  Dependency.identityProviders,
  needs('settings', 'timer'),
  async ({ settings: { identityProvidersFile: file }, timer }) => {
    if (file === undefined) return []
    const read = identityProvidersIn(file)
    if (isLeft(read)) throw new WrongSettings(read.left.join('\n  '))
    const { identityProvider } = await import('../credentials/openid/identity-providers.ts') // with openid-client
    return read.right.map((options) => identityProvider(options, () => timer.now()))
  },
)
