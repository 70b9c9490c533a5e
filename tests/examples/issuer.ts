import { compose, Dependency, provide, type Service } from '../../adapters/index.ts'
import type { SigningKey } from '../../domain/signing-key.ts'
import { type ApiClient, apiClient, type KeyPair } from '../support/api-client.ts'
import { freePort } from '../support/command.ts'
import { lastingStore } from '../support/lasting-store.ts'
import { OPERATOR } from '../support/operator.ts'
import { succeed } from '../support/outcome.ts'
import { CONTEXT } from '../support/request-context.ts'
import { settings } from '../support/settings.ts'

/** A real service at the URL of its tokens. */
export type Issuer = Readonly<{
  url: string
  api: ApiClient
  /** A new token of an application with this scope. */
  tokenFor: (scope: string) => Promise<string>
  userToken: () => Promise<string>
  /** The key that signs application tokens. */
  signingKey: () => Promise<SigningKey>
  /** Rotates the keys at once and ends all earlier tokens. */
  replaceKeys: () => Promise<void>
  /** Sets its clock’s error in milliseconds. */
  shiftClock: (ms: number) => void
  /** Stops and restarts with the same store and port. */
  stop: () => Promise<void>
  start: () => Promise<void>
}>

/** @param shift the initial error of its clock, in milliseconds */
export const startIssuer = async (shift = 0): Promise<Issuer> => {
  const port = await freePort()
  const url = `http://127.0.0.1:${port}`
  const store = lastingStore()
  let ms = shift
  const api = apiClient(url)
  const keysOf = new Map<string, KeyPair>()

  const start = async (): Promise<Service> => {
    const service = await compose(
      settings({ PUBLIC_URL: url }),
      provide(Dependency.storage, () => ({ store: store })),
      provide(Dependency.clock, () => () => Date.now() + ms),
    )
    await service.listen('127.0.0.1', port)
    return service
  }
  let service = await start()

  const tokenFor = async (scope: string): Promise<string> => {
    const known = keysOf.get(scope)
    if (known !== undefined) return (await api.issueToken(known)).body.token
    const made = await succeed(service.registerApplication(CONTEXT, { name: scope, scope }))
    keysOf.set(scope, { public_api_key: made.publicApiKey, private_api_key: made.privateApiKey })
    return tokenFor(scope)
  }
  const user = { email: 'ada@example.com', password: 'correct horse' }
  await succeed(service.registerUser(CONTEXT, user, OPERATOR))

  return {
    url,
    api,
    tokenFor,
    userToken: async () =>
      (await api.signIn(await tokenFor('users:sign_in'), user.email, user.password)).body.token,
    signingKey: async () => {
      const [kid] = await api.publishedKids()
      const key = (await succeed(store.listSigningKeys())).find((one) => one.kid === kid)
      if (key === undefined) throw new Error('no key signs application tokens')
      return key
    },
    replaceKeys: async () =>
      void (await succeed(service.rotateKeys(CONTEXT, { purposes: ['application'], atOnce: true }))),
    shiftClock: (by) => {
      ms = by
    },
    stop: () => service.stop(),
    start: async () => {
      service = await start()
    },
  }
}
