/** The part of oidc-provider that the stand-ins use, loaded by itself: the entry of the package warns of versions of Node.js. */
declare module 'oidc-provider/lib/provider.js' {
  import type { IncomingMessage, ServerResponse } from 'node:http'

  type Saved = { save: () => Promise<string>; addOIDCScope: (scope: string) => void }

  export class Provider {
    constructor(issuer: string, configuration: object)
    callback: () => (request: IncomingMessage, response: ServerResponse) => Promise<void>
    interactionFinished: (request: IncomingMessage, response: ServerResponse, result: object) => Promise<void>
    Grant: new (
      of: object,
    ) => Saved
  }
}
