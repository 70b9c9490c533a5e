/** The part of oidc-provider that the benchmark uses; the package has no types. */
declare module 'oidc-provider' {
  import type { IncomingMessage, ServerResponse } from 'node:http'

  type Saved = { save: () => Promise<string> }

  export class Provider {
    constructor(issuer: string, configuration: object)
    callback: () => (request: IncomingMessage, response: ServerResponse) => Promise<void>
    Client: { find: (id: string) => Promise<object | undefined> }
    Grant: new (
      of: object,
    ) => Saved & { addOIDCScope: (scope: string) => void }
    AccessToken: new (
      of: object,
    ) => Saved
  }
}
