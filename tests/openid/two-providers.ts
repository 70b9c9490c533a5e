import { createHash } from 'node:crypto'
import { expect } from 'chai'
import type { Environment } from '../../adapters/config/settings.ts'
import { compose, Dependency, type Module, provide, type Service } from '../../adapters/index.ts'
import type { Store } from '../../application/ports/store.ts'
import { type BrowserDesk, browserDesk } from '../account-pages/browser-desk.ts'
import { type PageAnswer, type PageClient, pageClient } from '../account-pages/pages-service.ts'
import { type Answer, httpClient, type TestRequest } from '../support/http-client.ts'
import { basicOf, REVOKE, sendForm, TOKEN } from '../support/oauth.ts'
import type { FreshStores } from '../support/one-store.ts'
import { OPERATOR } from '../support/operator.ts'
import { succeed } from '../support/outcome.ts'
import { plainHasher } from '../support/plain-hasher.ts'
import { CONTEXT } from '../support/request-context.ts'
import { timed } from '../support/second-factor-service.ts'
import { settings } from '../support/settings.ts'
import type { TestClient } from './openid-service.ts'

/** One of two OpenID providers on a store. */
export type Instance = Readonly<{
  service: Service
  pages: PageClient
  send: (request: TestRequest) => Promise<Answer>
}>

export type Person = Readonly<{ id: string; email: string; password: string }>

/** A browser whose requests go to one of the instances. */
export type TurningBrowser = BrowserDesk & Readonly<{ turnTo: (instance: Instance) => TurningBrowser }>

export type TwoProviders = Readonly<{
  one: Instance
  other: Instance
  both: readonly [Instance, Instance]
  store: Store
  /** The time of both. The library has the real one. */
  time: { now: number }
  passSeconds: (seconds: number) => void
  newPerson: (emailVerified?: boolean) => Promise<Person>
  newClient: (name: string) => Promise<TestClient>
  /** At `one`, until it is turned. It signs this person in. */
  newBrowser: (person: Person) => TurningBrowser
  stop: () => Promise<void>
}>

/** @param environment of both, which start one after the other */
export const startTwoProviders = async (
  stores: FreshStores,
  {
    front,
    environment = {},
    modules = [],
  }: Readonly<{
    front?: (store: Store) => Store
    environment?: Environment
    modules?: ReadonlyArray<Module>
  }> = {},
): Promise<TwoProviders> => {
  const time = { now: Date.now() }
  const { store, ...lasting } = await stores.lasting(front)
  const start = async () => {
    const service = await compose(
      settings({ ...lasting.environment, ...PROVIDER, ...environment }),
      ...lasting.modules,
      ...timed(time),
      provide(Dependency.passwordHasher, () => plainHasher()),
      ...modules,
    )
    const baseUrl = `http://127.0.0.1:${await service.listen('127.0.0.1', 0)}`
    const [pages, client] = [pageClient(baseUrl), httpClient(baseUrl)]
    const stop = async () => {
      await Promise.all([pages.close(), client.close()])
      await service.stop()
    }
    return { service, pages, send: client.send, stop }
  }
  const [one, other] = [await start(), await start()]
  let made = 0
  const next = () => {
    made += 1
    return made
  }
  return {
    one,
    other,
    both: [one, other],
    store,
    time,
    passSeconds: (seconds) => {
      time.now += seconds * 1000
    },
    newPerson: async (emailVerified = false) => {
      const credentials = { email: `person-${next()}@example.com`, password: 'correct horse battery' }
      const { id } = await succeed(
        one.service.registerUser(CONTEXT, { ...credentials, emailVerified }, OPERATOR),
      )
      return { id, ...credentials }
    },
    newClient: async (name) => {
      const host = `${name}-${next()}.example.com`
      const uris = { redirectUri: `https://${host}/callback`, logoutUri: `https://${host}/bye` }
      const { application, privateApiKey } = await succeed(
        one.service.registerApplication(
          { ...CONTEXT, operator: 'ada' },
          {
            name,
            scope: 'users:sign_in',
            redirectUris: [uris.redirectUri],
            logoutUris: [uris.logoutUri],
          },
        ),
      )
      return { id: application.id, secret: privateApiKey, ...uris }
    },
    newBrowser: (person) => {
      let at: Instance = one
      const desk = browserDesk({
        ada: person,
        get: (...request) => at.pages.get(...request),
        post: (...request) => at.pages.post(...request),
      })
      const turning: TurningBrowser = {
        ...desk,
        turnTo: (instance) => {
          at = instance
          return turning
        },
      }
      return turning
    },
    stop: async () => {
      await other.stop()
      await one.stop()
    },
  }
}

const PROVIDER: Environment = { ACCOUNT_PAGES: 'on', OPENID: 'on', SECOND_FACTORS: 'on' }

const VERIFIER = 'v'.repeat(43)

/** The address of an authorization that `exchange` completes. */
export const authorization = (
  { id, redirectUri }: TestClient,
  more: Readonly<Record<string, string>> = {},
): string =>
  `/oauth2/authorize?${new URLSearchParams({
    client_id: id,
    redirect_uri: redirectUri,
    response_type: 'code',
    scope: 'openid email',
    state: 'a',
    nonce: 'b',
    code_challenge: createHash('sha256').update(VERIFIER).digest('base64url'),
    code_challenge_method: 'S256',
    ...more,
  })}`

/** What an answer to an authorization gives to the client. */
export const callbackOf = ({ status, headers, html }: PageAnswer): URLSearchParams => {
  if (status !== 303) throw new Error(`${status} ${html}`)
  return new URL(String(headers.location), 'https://page.test').searchParams
}

/** Gets a code with the session that the browser has. */
export const codeWith = async (browser: BrowserDesk, client: TestClient): Promise<string> =>
  callbackOf(await browser.get(authorization(client))).get('code') ?? ''

/** Signs the person in on the page that an authorization leads to, and gets a code. */
export const signInFor = async (browser: BrowserDesk, client: TestClient): Promise<string> => {
  const page = callbackOf(await browser.get(authorization(client)))
  const signedIn = await browser.signIn({ continue: page.get('continue') ?? '' })
  expect(signedIn.status, signedIn.html).to.equal(200)
  const onward = /^0; url=(.*)$/.exec(String(signedIn.headers.refresh))?.[1] ?? ''
  const { pathname, search } = new URL(onward, 'https://page.test')
  return callbackOf(await browser.get(`${pathname}${search}`)).get('code') ?? ''
}

export const exchange = (at: Pick<Instance, 'send'>, client: TestClient, code: string): Promise<Answer> =>
  sendForm(
    at,
    TOKEN,
    { grant_type: 'authorization_code', code, redirect_uri: client.redirectUri, code_verifier: VERIFIER },
    asClient(client),
  )

export const refresh = (at: Pick<Instance, 'send'>, client: TestClient, token: string): Promise<Answer> =>
  sendForm(at, TOKEN, { grant_type: 'refresh_token', refresh_token: token }, asClient(client))

export const revoke = (at: Pick<Instance, 'send'>, client: TestClient, token: string): Promise<Answer> =>
  sendForm(at, REVOKE, { token }, asClient(client))

const asClient = ({ id, secret }: TestClient) => ({ authorization: basicOf(id, secret) })

/** The status of a request with an access token. */
export const statusAt = async (
  { send }: Pick<Instance, 'send'>,
  path: '/api/v1/profile' | '/oauth2/userinfo',
  token: string,
): Promise<number> => (await send({ method: 'GET', path, token })).status
