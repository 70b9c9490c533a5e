import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Environment } from '../../adapters/config/settings.ts'
import { Dependency, provide } from '../../adapters/index.ts'
import { memoryStore } from '../../adapters/stores/memory/store.ts'
import type { Store } from '../../application/ports/store.ts'
import { startGitHub } from '../support/identity-providers/github.ts'
import { startGoogle } from '../support/identity-providers/oidc-stand-ins.ts'
import { CLIENT, type StandIn } from '../support/identity-providers/stand-in.ts'
import type { Person } from '../testkit/identity-provider/memory-identity-provider.ts'
import type { BrowserDesk } from './browser-desk.ts'
import type { PageAnswer } from './pages-service.ts'
import { EVE, type SecurityService, startSecurity } from './security-service.ts'

export const SIGN_IN = '/account/sign-in'
export const CALLBACK = '/account/identity/google'

/** Eve's account at the provider, with the e-mail of hers here. */
export const EVE_THERE: Person = { id: 7, email: EVE.email }

type Form = Readonly<Record<string, string>>

/** Two servers in the place of Google and GitHub. */
export type Providers = Readonly<{
  google: StandIn
  github: StandIn
  /** What a service needs to know them. */
  environment: Environment
  stop: () => Promise<void>
}>

export const startProviders = async (publicUrl = 'https://service.test'): Promise<Providers> => {
  const redirectUris = ['google', 'github'].map((name) => `${publicUrl}/account/identity/${name}`)
  const [google, github] = await Promise.all([startGoogle({ redirectUris }), startGitHub({ redirectUris })])
  const client = { client_id: CLIENT.clientId, client_secret: CLIENT.clientSecret }
  const folder = mkdtempSync(join(tmpdir(), 'identity-providers-'))
  const file = join(folder, 'providers.json')
  writeFileSync(
    file,
    JSON.stringify([
      { name: 'google', issuer: google.issuer, trusts_email: 'gmail-and-hd', ...client },
      { name: 'github', kind: 'github', base_url: github.issuer, ...client },
    ]),
  )
  chmodSync(file, 0o600)
  return {
    google,
    github,
    environment: { IDENTITY_PROVIDERS_FILE: file },
    stop: async () => {
      await Promise.all([google.stop(), github.stop()])
      rmSync(folder, { recursive: true })
    },
  }
}

/** The pages of a service that knows both providers, and Eve, whose e-mail is verified. */
export type IdentityPlace = Providers &
  Readonly<{
    page: SecurityService
    store: Store
    /** Sends the form of a button. */
    start: (browser: BrowserDesk, form?: Form, path?: string) => Promise<PageAnswer>
    /** The browser comes back from Google, where this person signed in. */
    comeBack: (browser: BrowserDesk, started: PageAnswer, person?: Person) => Promise<PageAnswer>
    /** Both. */
    signIn: (browser: BrowserDesk, person?: Person, form?: Form) => Promise<PageAnswer>
  }>

export const startIdentityPlace = async (environment: Environment = {}): Promise<IdentityPlace> => {
  const providers = await startProviders()
  const store = memoryStore()
  const page = await startSecurity(
    store,
    { ...providers.environment, ...environment },
    provide(Dependency.storage, () => ({ store })),
  )
  page.time.now = Date.now() // as at the providers
  const start: IdentityPlace['start'] = (browser, form = {}, path = SIGN_IN) =>
    browser.post(path, { step: 'identity', provider: 'google', ...form })
  const comeBack: IdentityPlace['comeBack'] = async (browser, started, person = EVE_THERE) =>
    browser.get(CALLBACK + (await providers.google.signIn(providerUrl(started), person)))
  return {
    ...providers,
    page,
    store,
    start,
    comeBack,
    signIn: async (browser, person, form) => comeBack(browser, await start(browser, form), person),
    stop: async () => {
      await page.stop()
      await providers.stop()
    },
  }
}

/** The address of the provider to which an answer leads. */
export const providerUrl = ({ headers }: PageAnswer): string =>
  /^0; url=(.+)$/.exec(String(headers.refresh))?.[1] ?? ''

/** The cookies of browsers that are at a provider. */
export const cookiesAtProviders = ({ cookies }: BrowserDesk): ReadonlyArray<string> =>
  [...cookies.keys()].filter((name) => name.startsWith('__Host-portcullis-idp-'))

/** The codes of an alert. */
export const codesIn = ({ html }: PageAnswer): ReadonlyArray<number> =>
  [...html.matchAll(/<p data-code="(\d+)">/g)].map(([, code]) => Number(code))
