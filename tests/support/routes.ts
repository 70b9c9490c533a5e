import type { Environment } from '../../adapters/config/settings.ts'
import { rootRoutes } from '../../adapters/http/docs/route.ts'
import { type OpenIdProvider, openIdProvider } from '../../adapters/http/openid/routes.ts'
import { methodsOf } from '../../adapters/http/operation/route.ts'
import { once } from '../../adapters/http/pages/once.ts'
import { pagesRoutes, type UseCasesOfPages } from '../../adapters/http/pages/routes.ts'
import { Dependency, provide } from '../../adapters/index.ts'
import { languages } from '../../adapters/texts/languages.ts'
import type { OpenIdUseCases } from '../../application/use-cases/openid.ts'
import { leakedAre } from './fake-passwords.ts'
import { mailLinkSettings } from './mail-links.ts'
import { documentOf, type Operation, operationsOf, resolved } from './open-api.ts'
import { PASSKEY_SETTINGS } from './passkey-desk.ts'
import { ruleAgainst } from './password-rules.ts'

const never = (): never => {
  throw new Error('no request comes')
}

const browserRoutes = (
  openIdProvider: OpenIdProvider | undefined,
  more: Readonly<Record<string, unknown>> = {},
): ReadonlyArray<string> =>
  pagesRoutes({
    useCases: { browsers: {}, mailLinks: {}, registration: {}, ...more } as UseCasesOfPages, // nothing is called
    name: '',
    prefix: '',
    origin: '',
    policy: { kind: 'contract' },
    languages: languages({}, 'en'),
    openIdProvider,
    once: once({ now: () => 0, digest: (text) => text }),
  }).flatMap((route) =>
    methodsOf(route)
      .filter((method) => method !== 'HEAD')
      .map((method) => `${method} ${route.path}`),
  )

/** The pages for people, without HEAD: `GET /account/password`. */
export const PAGE_ROUTES: ReadonlyArray<string> = browserRoutes(undefined)

/** The page of an identity provider that an operator has set up. */
export const IDENTITY_PAGE_ROUTES: ReadonlyArray<string> = browserRoutes(undefined, {
  pageIdentities: { providers: [{ name: 'google', label: 'Google' }] },
}).filter((route) => !PAGE_ROUTES.includes(route))

/** The routes of the OpenID provider for browsers. */
export const PROVIDER_ROUTES: ReadonlyArray<string> = browserRoutes(
  openIdProvider({
    useCases: {} as OpenIdUseCases, // nothing is called
    authenticate: never,
    authenticateApplication: never,
    endBrowser: never,
    issuer: 'https://auth.example.com',
    prefix: '',
    has: { registration: true, changeEmail: true },
    meter: { authorized: never, exchanged: never },
  }),
).filter((route) => !PAGE_ROUTES.includes(route))

/** A route without its handler. `name` is method and path; a path that takes all paths below it ends with `…`. */
export type NamedRoute = Readonly<{
  name: string
  /** As README.md says it. */
  token: string
  /** The codes of 422 with their fields: `4 old_password`. */
  codes: ReadonlyArray<string>
}>

/** With them, the service can refuse a password for every reason, and has the routes of identities. */
const EVERY_PART = [
  provide(Dependency.leakedPasswords, () => leakedAre()),
  provide(Dependency.passwordRules, () => [ruleAgainst('shop')]),
  provide(Dependency.identityProviders, () => [{ name: 'google' } as never]), // it is never called
]

/** Every other route of the composed service, without HEAD and OPTIONS. */
export const otherRoutes = async (): Promise<ReadonlyArray<NamedRoute>> => [
  ...(await describedRoutes()),
  ...rootRoutes('').map(({ path }) => ({ name: `GET ${path}`, token: 'none', codes: [] })),
]

const describedRoutes = async (): Promise<ReadonlyArray<NamedRoute>> => {
  const settings = { PASSWORD_POLICY: 'nist', ...PASSKEY_SETTINGS }
  const described = async (more: Environment) =>
    operationsOf(resolved(await documentOf({ ...settings, ...more }, ...EVERY_PART)))
  const withoutMail = await described({}) // some codes only come without it
  return (await described({ ...mailLinkSettings(), OPENID: 'on' })).map(({ method, path, operation }) => {
    const other = withoutMail.find((one) => one.method === method && one.path === path)
    const codes = [operation, ...(other === undefined ? [] : [other.operation])].flatMap(codesIn)
    return {
      name: `${method} ${path.replace('{path}', '…')}`,
      token: tokenIn(operation),
      codes: [...new Set(codes)].toSorted((a, b) => Number.parseInt(a, 10) - Number.parseInt(b, 10)),
    }
  })
}

const tokenIn = ({ security = [] }: Operation): string => {
  const { userToken, applicationToken: [scope] = [] } = Object.assign({}, ...security)
  if (userToken !== undefined) return 'user'
  return scope === undefined ? 'none' : `application, scope \`${scope}\``
}

const codesIn = ({ responses }: Operation): ReadonlyArray<string> => {
  const items = Object(responses['422']?.content?.['application/json']?.schema).properties?.errors.items
  const each: ReadonlyArray<Item> = items === undefined ? [] : (items.oneOf ?? [items])
  return [...new Set(each.map(({ properties: { code, param } }) => `${code.const} ${param.const}`))]
}

type Item = Readonly<{ properties: Readonly<{ code: { const: number }; param: { const: string } }> }>
