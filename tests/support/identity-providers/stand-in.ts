import type { Person } from '../../testkit/identity-provider/memory-identity-provider.ts'

/** The client that all stand-ins know. Its secret has characters that are special in URLs and in Basic authentication. */
export const CLIENT = { clientId: 'portcullis', clientSecret: 'a secret: of+the %41 client/of 2026' } as const

/** A real server on 127.0.0.1 in the place of an identity provider. */
export type StandIn = Readonly<{
  /** Where it is, and its issuer. */
  issuer: string
  /** The requests so far, as method and path without its query. */
  requests: ReadonlyArray<string>
  /** Returns the query with which the browser comes back from an address, after this person signed in there. */
  signIn: (url: string, person: Person) => Promise<string>
  /** The same, after this error. */
  refuse: (url: string, error: string) => Promise<string>
  stop: () => Promise<void>
}>

export type StartStandIn = (options: Readonly<{ redirectUris: ReadonlyArray<string> }>) => Promise<StandIn>
