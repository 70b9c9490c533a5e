import { isRight } from 'fp-ts/lib/Either.js'
import { none, some } from 'fp-ts/lib/Option.js'
import { mapLeft } from 'fp-ts/lib/TaskEither.js'
import * as t from 'io-ts'
import * as library from 'openid-client'
import type {
  Identity,
  IdentityProvider,
  IdentityRequest,
} from '../../../application/ports/identity-provider.ts'
import { isPrintable } from '../../../domain/name.ts'
import { codeOf, readAnswer } from './answer.ts'
import { type BoundedFetch, boundedFetch, isSafeEndpoint, LIMITS, type Limits } from './bounded-fetch.ts'
import { callsAtOnce, keptFor, ProviderDown, Refused, UNAVAILABLE } from './calls.ts'
import { type EmailTrust, verifiedEmail } from './verified-email.ts'

export type OpenIdOptions = Readonly<{
  name: string
  label: string
  issuer: string
  clientId: string
  clientSecret: string
  trustsEmail: EmailTrust
}>

/**
 * Any OpenID provider that publishes its metadata (OpenID Connect Discovery 1.0). It uses the code flow with PKCE, `state` and `nonce`.
 *
 * @param now a clock that never goes back
 */
export const openIdProvider = (
  options: OpenIdOptions,
  now: () => number,
  limits: Limits = LIMITS,
): IdentityProvider => {
  const { name, label, issuer, trustsEmail } = options
  const call = boundedFetch(issuer, limits)
  const run = callsAtOnce(limits.callsAtOnce)
  /** A start waits for the metadata at most, which all of them share. So no answer that waits for the provider holds one up. */
  const begin = callsAtOnce(Number.POSITIVE_INFINITY)
  const client = keptFor(limits.metadataMs, now, async () =>
    clientOf(options, call, await metadataOf(issuer, call)),
  )

  return {
    name,
    label,
    issuer,

    start: ({ redirectUri, state, nonce, codeVerifier, isAgain, loginHint }) =>
      mapLeft(() => UNAVAILABLE)(
        begin(async () => {
          const url = library.buildAuthorizationUrl(await client(), {
            redirect_uri: redirectUri,
            scope: 'openid email',
            state,
            nonce,
            code_challenge: await library.calculatePKCECodeChallenge(codeVerifier),
            code_challenge_method: 'S256',
            ...(isAgain && { max_age: '0' }), // some providers refuse prompt=login, which would say the same
            ...(loginHint !== undefined && { login_hint: loginHint }),
          })
          return url.href
        }),
      ),

    complete: (answer, request) =>
      run(async () => {
        const received = readAnswer(answer, request)
        const config = await client()
        // RFC 9207 §2.4. An answer without `iss` is one of this provider only if its metadata does not promise it.
        const promises = config.serverMetadata().authorization_response_iss_parameter_supported === true
        if (received.issuer === undefined ? promises : received.issuer !== issuer)
          throw new Refused('wrong_issuer')
        return identityOf(await claimsFor(config, codeOf(received), request), request, trustsEmail)
      }),

    check: () =>
      run(async () => {
        const { jwks_uri } = await metadataOf(issuer, call)
        if (!isRight(Keys.decode(await jsonOf(await call(jwks_uri))))) throw new Refused('provider_error')
      }),
  }
}

const Metadata = t.type({
  issuer: t.string,
  authorization_endpoint: t.string,
  token_endpoint: t.string,
  jwks_uri: t.string,
})

const Keys = t.type({ keys: t.array(t.type({ kty: t.string })) })

/** The issuer is compared by text: it is a part of each identity (OpenID Connect Discovery §4.3). */
const metadataOf = async (issuer: string, call: BoundedFetch): Promise<t.TypeOf<typeof Metadata>> => {
  const response = await call(`${issuer.replace(/\/$/, '')}/.well-known/openid-configuration`)
  const read = Metadata.decode(await jsonOf(response))
  if (!isRight(read)) throw new Refused('provider_error')
  const metadata = read.right
  if (metadata.issuer !== issuer) throw new Refused('wrong_issuer')
  const { authorization_endpoint, token_endpoint, jwks_uri } = metadata
  if (![authorization_endpoint, token_endpoint, jwks_uri].every((url) => isSafeEndpoint(url, issuer)))
    throw new Refused('provider_error')
  return metadata
}

/** Undefined for what is not 200, or not JSON. */
const jsonOf = async (response: Response): Promise<unknown> =>
  response.status === 200 ? response.json().catch(() => undefined) : undefined

const clientOf = (
  { issuer, clientId, clientSecret }: OpenIdOptions,
  call: BoundedFetch,
  metadata: library.ServerMetadata,
): library.Configuration => {
  // Both are common, and the one in the body needs no second encoding, which some providers get wrong.
  const authentication = metadata.token_endpoint_auth_methods_supported?.includes('client_secret_post')
    ? library.ClientSecretPost(clientSecret)
    : library.ClientSecretBasic(clientSecret)
  const config = new library.Configuration(metadata, clientId, undefined, authentication)
  config[library.customFetch] = (url, { body, ...init }) =>
    call(url, { ...init, ...(body != null && { body: withExactRedirectUri(body) }) } as RequestInit)
  // Otherwise the signature of an ID token from the token endpoint is not verified.
  library.enableNonRepudiationChecks(config)
  if (issuer.startsWith('http:')) library.allowInsecureRequests(config) // isSafeEndpoint bounds them
  return config
}

/** Names a parameter that never leaves this module. */
const EXACT = 'exact_redirect_uri'

/**
 * The library takes `redirect_uri` from the URL of the answer, without its query. Providers compare it with that of the start, byte for
 * byte (RFC 6749 §4.1.3).
 */
const withExactRedirectUri = (body: unknown): unknown => {
  if (!(body instanceof URLSearchParams)) return body
  const exact = body.get(EXACT)
  if (exact === null) return body
  body.delete(EXACT)
  body.set('redirect_uri', exact)
  return body
}

type Claims = Readonly<Record<string, unknown>>

/** The verified claims of the ID token that a code gives. */
const claimsFor = async (
  config: library.Configuration,
  code: string,
  { redirectUri, codeVerifier, nonce, state }: IdentityRequest,
): Promise<Claims> => {
  try {
    // What the library is given was read before. It has no parameter that it does not know.
    const { issuer } = config.serverMetadata()
    const received = new URL(`https://answer.invalid/?${new URLSearchParams({ code, state, iss: issuer })}`)
    const checks = {
      pkceCodeVerifier: codeVerifier,
      expectedState: state,
      expectedNonce: nonce,
      idTokenExpected: true,
    }
    const tokens = await library.authorizationCodeGrant(config, received, checks, { [EXACT]: redirectUri })
    return tokens.claims() ?? {}
  } catch (error) {
    throw failureOf(error)
  }
}

const failureOf = (error: unknown): ProviderDown | Refused => {
  const causes = causesOf(error)
  const down = causes.find((cause) => cause instanceof ProviderDown)
  if (down !== undefined) return down
  const { code } = Object(error) as { code?: unknown }
  if (NO_TOKENS.includes(code) || causes.some((cause) => 'body' in cause))
    return new Refused('provider_error')
  return new Refused(causes.some(({ claim }) => claim === 'iss') ? 'wrong_issuer' : 'invalid_id_token')
}

/** The codes of errors about the answer of the token endpoint. Others are about the ID token in it. */
const NO_TOKENS: ReadonlyArray<unknown> = [
  'OAUTH_RESPONSE_BODY_ERROR',
  'OAUTH_WWW_AUTHENTICATE_CHALLENGE',
  'OAUTH_RESPONSE_IS_NOT_CONFORM',
  'OAUTH_RESPONSE_IS_NOT_JSON',
  'OAUTH_PARSE_ERROR',
]

type Cause = Readonly<{ cause?: unknown; claim?: unknown }>

/** The error, its cause, the cause of that, and so on. */
const causesOf = (error: unknown): ReadonlyArray<Cause> =>
  typeof error === 'object' && error !== null ? [error, ...causesOf((error as Cause).cause)] : []

const identityOf = (claims: Claims, { isAgain = false }: IdentityRequest, trust: EmailTrust): Identity => {
  const { sub, auth_time: atSeconds } = claims
  if (typeof sub !== 'string' || !isPrintable(sub, MAX_SUBJECT)) throw new Refused('invalid_id_token')
  const authenticatedAtSeconds = Number.isSafeInteger(atSeconds) ? some(Number(atSeconds)) : none
  if (isAgain && authenticatedAtSeconds === none) throw new Refused('invalid_id_token')
  return { subject: sub, verifiedEmail: verifiedEmail(trust, claims), authenticatedAtSeconds }
}

/** OpenID Connect Core §2. */
const MAX_SUBJECT = 255
