import { expect } from 'chai'
import type { Environment } from '../../adapters/config/settings.ts'
import { Dependency, provide } from '../../adapters/index.ts'
import { FACTOR_SETTINGS } from '../support/factor-desk.ts'
import type { Answer } from '../support/http-client.ts'
import type { FreshStores } from '../support/one-store.ts'
import { succeed } from '../support/outcome.ts'
import { CONTEXT } from '../support/request-context.ts'
import { type FactorDesk, startFactorDesk } from '../support/second-factor-service.ts'
import {
  type MemoryIdentityProvider,
  memoryIdentityProvider,
  type Person,
} from '../testkit/identity-provider/memory-identity-provider.ts'

export const START = '/api/v1/auth/user/identity'
export const COMPLETE = `${START}/complete`
export const LINK = '/api/v1/profile/identities'
export const STEP_UP = '/api/v1/profile/step_up'
export const REMOVE = '/api/v1/profile/factors/remove'
export const BACK = 'https://shop.example/back'

/** An application that signs users in at two providers, and what its server does. */
export type IdentityDesk = FactorDesk &
  Readonly<{
    google: MemoryIdentityProvider
    github: MemoryIdentityProvider
    shop: string
    /** Starts a sign-in, and signs this person in at the provider. Returns what completes it. */
    proved: (
      person: Person,
      more?: Readonly<{ provider?: MemoryIdentityProvider; token?: string; path?: string }>,
    ) => Promise<Readonly<{ transaction: string; answer: string }>>
    signInAs: (
      person: Person,
      more?: Readonly<{ provider?: MemoryIdentityProvider; token?: string }>,
    ) => Promise<Answer>
    link: (person: Person, userToken: string, provider?: MemoryIdentityProvider) => Promise<Answer>
    list: (userToken: string) => Promise<ReadonlyArray<Readonly<{ id: string; kind: string; name: string }>>>
    /** A new user with a password. */
    register: (more?: Readonly<{ emailVerified?: boolean }>) => Promise<NewPerson>
    withPassword: (user: Readonly<{ email: string; password: string }>) => Promise<string>
    /** A token of another application. */
    another: (scope: string, redirectUris?: ReadonlyArray<string>, more?: object) => Promise<string>
    stop: () => Promise<void>
  }>

type NewPerson = Readonly<{ id: string; email: string; password: string }>

export const startIdentityDesk = async (
  stores: FreshStores,
  environment: Environment = {},
): Promise<IdentityDesk> => {
  const time = { now: () => desk.time.now }
  const google = memoryIdentityProvider({ now: () => time.now() })
  const github = memoryIdentityProvider({
    name: 'github',
    label: 'GitHub',
    issuer: 'https://github.com',
    now: () => time.now(),
  })
  const desk = await startFactorDesk(
    stores,
    { ...FACTOR_SETTINGS, IDENTITY_REGISTRATION: 'on', ...environment },
    provide(Dependency.identityProviders, () => [google, github]),
  )
  const { running, post } = desk
  const another: IdentityDesk['another'] = async (scope, redirectUris = [BACK], more = {}) => {
    const made = await succeed(
      running.service.registerApplication(CONTEXT, { name: 'shop', scope, redirectUris, ...more }),
    )
    const keys = { public_api_key: made.publicApiKey, private_api_key: made.privateApiKey }
    const { body } = await running.send({
      method: 'POST',
      path: '/api/v1/auth/application/token',
      body: keys,
    })
    return body.token
  }
  const shop = await another('users:sign_in users:register')
  const proved: IdentityDesk['proved'] = async (
    person,
    { provider = google, token = shop, path = START } = {},
  ) => {
    const started = await post(path, token, { provider: provider.name, redirect_uri: BACK })
    expect([started.status, started.body.message]).to.deep.equal([200, undefined])
    const { url, transaction } = started.body
    return { transaction, answer: provider.signIn(url, person) }
  }
  let users = 0
  return {
    ...desk,
    google,
    github,
    shop,
    proved,
    another,
    signInAs: async (person, more = {}) => post(COMPLETE, more.token ?? shop, await proved(person, more)),
    link: async (person, userToken, provider = google) =>
      post(`${LINK}/complete`, userToken, await proved(person, { provider, token: userToken, path: LINK })),
    list: async (token) =>
      (await running.send({ method: 'GET', path: '/api/v1/profile/factors', token })).body.factors,
    register: async ({ emailVerified = true } = {}) => {
      users += 1
      const credentials = { email: `person${users}@lovelace.example`, password: 'correct horse' }
      const { body } = await post('/api/v1/users', await another('users:register users:confirm_email'), {
        ...credentials,
        email_verified: emailVerified,
      })
      return { id: body.id, ...credentials }
    },
    withPassword: async ({ email, password }) =>
      (await post('/api/v1/auth/user/token', shop, { email, password })).body.token,
  }
}
