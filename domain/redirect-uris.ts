import * as E from 'fp-ts/lib/Either.js'
import { fromArray, type NonEmptyArray } from 'fp-ts/lib/NonEmptyArray.js'
import { isNone } from 'fp-ts/lib/Option.js'
import { isRpId } from './passkey-origins.ts'

/**
 * What makes an application a client of the OpenID provider. Without a redirect URI it is none. Clients are compared by text (RFC 9700
 * §2.1), so a URI that a browser would rewrite is refused.
 */
export type OpenIdClient = Readonly<{
  /** Where a sign-in at the provider may lead back. */
  redirectUris: ReadonlyArray<string>
  /** Where a logout at the provider may lead. */
  logoutUris: ReadonlyArray<string>
  /** A public client runs on devices of users, so it has no secret (RFC 6749 §2.1). */
  clientKind: ClientKind
  requiresPkce: boolean
}>

export const CLIENT_KINDS = ['confidential', 'public'] as const
export type ClientKind = (typeof CLIENT_KINDS)[number]

export const PKCE_USES = ['required', 'optional'] as const
export type PkceUse = (typeof PKCE_USES)[number]

/** What a new application has. */
export const NO_CLIENT: OpenIdClient = {
  redirectUris: [],
  logoutUris: [],
  clientKind: 'confidential',
  requiresPkce: true,
}

/** What an operator decides. Each list replaces the former one. What is absent stays. */
export type ClientRequest = Readonly<{
  redirectUris?: ReadonlyArray<string> | undefined
  logoutUris?: ReadonlyArray<string> | undefined
  client?: ClientKind | undefined
  pkce?: PkceUse | undefined
}>

export type UriList = 'redirect' | 'logout'

/** What a client cannot have. */
export type ClientProblem = Readonly<
  | { _tag: 'UriRefused'; list: UriList; uri: string; rule: UriRule }
  | { _tag: 'TooManyUris'; list: UriList; most: number }
  /** A public client has nothing else that binds a code to it (RFC 9700 §2.1.1). */
  | { _tag: 'PkceOptional' }
  /** Without a redirect URI it is no client, so no logout leads anywhere. */
  | { _tag: 'LogoutUrisAlone' }
>

/** The rule that a URI breaks. */
export type UriRule =
  | 'several'
  | 'length'
  | 'user_info'
  | 'wildcard'
  | 'fragment'
  | 'localhost'
  | 'insecure'
  | 'loopback'
  | 'private_scheme'
  | 'scheme'
  | 'form'

export const MAX_URIS = 20
export const MAX_URI_LENGTH = 512

/** Whether an operator decides something about the client. */
export const isAboutClient = ({ redirectUris, logoutUris, client, pkce }: ClientRequest): boolean =>
  [redirectUris, logoutUris, client, pkce].some((one) => one !== undefined)

/** Returns the client as the operator wants it, each URI once, or all that is wrong with it. */
export const validateClient = (
  request: ClientRequest,
  before: OpenIdClient = NO_CLIENT,
): E.Either<NonEmptyArray<ClientProblem>, OpenIdClient> => {
  const client: OpenIdClient = {
    redirectUris: [...new Set(request.redirectUris ?? before.redirectUris)],
    logoutUris: [...new Set(request.logoutUris ?? before.logoutUris)],
    clientKind: request.client ?? before.clientKind,
    requiresPkce: request.pkce === undefined ? before.requiresPkce : request.pkce === 'required',
  }
  // A later version may have more rules. They must not block a change of something else.
  const problems = isAboutClient(request)
    ? fromArray([...problemsOf(client), ...logoutProblems(request, client)])
    : fromArray<ClientProblem>([])
  return isNone(problems) ? E.right(client) : E.left(problems.value)
}

const logoutProblems = (
  { logoutUris = [] }: ClientRequest,
  { redirectUris }: OpenIdClient,
): ReadonlyArray<ClientProblem> =>
  logoutUris.length > 0 && redirectUris.length === 0 ? [{ _tag: 'LogoutUrisAlone' }] : []

const problemsOf = ({
  redirectUris,
  logoutUris,
  clientKind,
  requiresPkce,
}: OpenIdClient): Array<ClientProblem> => [
  ...uriProblems('redirect', redirectUris, clientKind),
  ...uriProblems('logout', logoutUris, clientKind),
  ...(clientKind === 'public' && !requiresPkce ? [{ _tag: 'PkceOptional' } as const] : []),
]

const uriProblems = (
  list: UriList,
  uris: ReadonlyArray<string>,
  kind: ClientKind,
): ReadonlyArray<ClientProblem> => [
  ...uris.flatMap((uri): ReadonlyArray<ClientProblem> => {
    const rule = brokenRule(uri, kind)
    return rule === undefined ? [] : [{ _tag: 'UriRefused', list, uri, rule }]
  }),
  ...(uris.length > MAX_URIS ? [{ _tag: 'TooManyUris', list, most: MAX_URIS } as const] : []),
]

/** Whether a request to authorize may name this redirect URI. */
export const isRedirectUri = (
  { redirectUris, clientKind }: Pick<OpenIdClient, 'redirectUris' | 'clientKind'>,
  sent: string,
): boolean => isRegistered(redirectUris, clientKind, sent)

/** Whether a logout may lead to this URI. */
export const isLogoutUri = (
  { logoutUris, clientKind }: Pick<OpenIdClient, 'logoutUris' | 'clientKind'>,
  sent: string,
): boolean => isRegistered(logoutUris, clientKind, sent)

/** Whether a page of this origin belongs to a public client: it has a redirect URI of the origin. */
export const isPageOfClient = (
  { redirectUris, clientKind }: Pick<OpenIdClient, 'redirectUris' | 'clientKind'>,
  origin: string,
): boolean =>
  clientKind === 'public' && redirectUris.some((uri) => /^https?:\/\/[^/?]+/.exec(uri)?.[0] === origin)

/** An app on a device of its user cannot choose the port on which it listens: the system does (RFC 8252 §7.3). */
const isRegistered = (uris: ReadonlyArray<string>, kind: ClientKind, sent: string): boolean => {
  if (uris.includes(sent)) return true
  const bare = kind === 'public' ? withoutPort(sent) : undefined
  return bare !== undefined && uris.some((uri) => withoutPort(uri) === bare)
}

/** Undefined if it is not on a loopback address. */
const withoutPort = (uri: string): string | undefined => {
  const [, host, port = '0', rest] = AT_LOOPBACK.exec(uri) ?? []
  return host === undefined || Number(port) > MAX_PORT ? undefined : `${host}${rest}`
}

const AT_LOOPBACK = /^(http:\/\/(?:127\.0\.0\.1|\[::1\]))(?::([1-9]\d{0,4}))?(\/.*)$/
const MAX_PORT = 65_535

/** Undefined if a client of this kind can have the URI. */
const brokenRule = (uri: string, kind: ClientKind): UriRule | undefined => {
  if (SEVERAL.test(uri)) return 'several'
  if (uri.length > MAX_URI_LENGTH) return 'length'
  if (USER_INFO.test(uri)) return 'user_info'
  if (uri.includes('*')) return 'wildcard'
  if (uri.includes('#')) return 'fragment'
  const [, scheme = '', authority, rest = ''] = PARTS.exec(uri) ?? []
  if (/^https?$/i.test(scheme)) return brokenWebRule({ scheme, authority: authority ?? '', rest }, kind)
  if (!/^[a-z][a-z0-9+.-]*$/i.test(scheme)) return 'form'
  if (!scheme.includes('.')) return 'scheme'
  if (kind !== 'public') return 'private_scheme'
  return isPrivate(scheme, authority, rest) ? undefined : 'form'
}

const brokenWebRule = (
  { scheme, authority, rest }: Readonly<{ scheme: string; authority: string; rest: string }>,
  kind: ClientKind,
): UriRule | undefined => {
  const [, host = '', port] = /^(\[[^\]]*\]|[^:]*)(?::(.*))?$/.exec(authority) ?? []
  if (/^(?:.*\.)?localhost\.?$/i.test(host)) return 'localhost'
  const isLoopback = host === '127.0.0.1' || host === '[::1]'
  if (scheme.toLowerCase() === 'http' && !isLoopback) return 'insecure'
  // An app has no certificate for the device of its user (RFC 8252 §7.3), and oidc-provider would refuse the whole client.
  if (scheme.toLowerCase() === 'https' && isLoopback && kind === 'public') return 'loopback'
  const isHost = isLoopback || isRpId(host) || IP_V4.test(host)
  // Browsers encode the apostrophe in a query.
  const isNormal = scheme === scheme.toLowerCase() && /^\/[^?]*(?:\?[^']*)?$/.test(rest)
  return isHost && isNormal && isPort(port, scheme) && isPathAndQuery(rest) ? undefined : 'form'
}

/** Of RFC 8252 §7.1: a domain of the vendor, reversed. */
const isPrivate = (scheme: string, authority: string | undefined, rest: string): boolean =>
  /^[a-z][a-z0-9+-]*(?:\.[a-z0-9+-]+)+$/.test(scheme) &&
  (authority === undefined
    ? /^[^?]/.test(rest)
    : /^[A-Za-z0-9._~-]*$/.test(authority) && /^(?:[/?]|$)/.test(rest)) &&
  isPathAndQuery(rest)

/** The port that the scheme implies is never in a URL that a browser shows. */
const isPort = (port: string | undefined, scheme: string): boolean =>
  port === undefined ||
  (/^[1-9]\d{0,4}$/.test(port) && Number(port) <= MAX_PORT && port !== (scheme === 'https' ? '443' : '80'))

/** Of RFC 3986 §3.3 and §3.4, and without the segments that browsers remove. */
const isPathAndQuery = (text: string): boolean => {
  const [path = ''] = text.split('?')
  return CHARACTERS.test(text) && !path.split('/').some((segment) => /^(?:\.|%2e){1,2}$/i.test(segment))
}

const CHARACTERS = /^(?:[A-Za-z0-9/?._~!$&'()+,;=:@-]|%[0-9A-Fa-f]{2})*$/

const PARTS = /^([^:/?]*):(?:\/\/([^/?]*))?(.*)$/s

/** A comma may be in a path, but not before another URI. */
const SEVERAL = /,\s*(?:https?|[a-z][a-z0-9+-]*(?:\.[a-z0-9+-]+)+):\//i

/** Browsers read some other spellings of the slashes behind http and https. */
const USER_INFO = /^(?:https?:[/\\]*|[^/?#:]*:\/\/)[^/?#\\]*@/i

const OCTET = '(?:25[0-5]|2[0-4]\\d|1\\d\\d|[1-9]?\\d)'
const IP_V4 = new RegExp(`^${OCTET}(?:\\.${OCTET}){3}$`)

/** Returns the use of PKCE, as events and commands name it. */
export const pkceUse = ({ requiresPkce }: Pick<OpenIdClient, 'requiresPkce'>): PkceUse =>
  requiresPkce ? 'required' : 'optional'

/** Whether an operator decided the same about both. */
export const isSameClient = (one: OpenIdClient, other: OpenIdClient): boolean =>
  urisText(one.redirectUris) === urisText(other.redirectUris) &&
  urisText(one.logoutUris) === urisText(other.logoutUris) &&
  one.clientKind === other.clientKind &&
  one.requiresPkce === other.requiresPkce

/** Returns URIs as rows contain them: separated by one space. */
export const urisText = (uris: ReadonlyArray<string>): string => uris.join(' ')

/** Returns the URIs in a text that `urisText` wrote. */
export const parseUris = (text: string): ReadonlyArray<string> => (text === '' ? [] : text.split(' '))
