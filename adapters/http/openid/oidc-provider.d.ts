// The entry of the package warns of each version of Node.js that it was not released for, so it is loaded by its parts.
declare module 'oidc-provider/lib/provider.js' {
  export { Provider } from 'oidc-provider'
}
declare module 'oidc-provider/lib/helpers/errors.js' {
  import { errors } from 'oidc-provider'
  export import InvalidGrant = errors.InvalidGrant
  export import InvalidRedirectUri = errors.InvalidRedirectUri
  export import InvalidRequest = errors.InvalidRequest
  export import InvalidRequestUri = errors.InvalidRequestUri
  export import CustomOIDCProviderError = errors.CustomOIDCProviderError
}
declare module 'oidc-provider/lib/helpers/weak_cache.js' {
  import type { KoaContextWithOIDC, Provider } from 'oidc-provider'

  type Respond = (ctx: KoaContextWithOIDC, action: string, fields: Record<string, string>) => void
  // biome-ignore lint/style/noDefaultExport: so the library exports it
  export default function instance(provider: Provider): { responseModes: Map<string, Respond> }
}
declare module 'oidc-provider/lib/helpers/interaction_policy/index.js' {
  import { interactionPolicy } from 'oidc-provider'
  export import Check = interactionPolicy.Check
  export import Prompt = interactionPolicy.Prompt
}
