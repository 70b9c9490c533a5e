import { pipe } from 'fp-ts/lib/function.js'
import { isNone, none, type Option, some } from 'fp-ts/lib/Option.js'
import * as TE from 'fp-ts/lib/TaskEither.js'
import type { Configuration, interactionPolicy, KoaContextWithOIDC } from 'oidc-provider'
import * as errors from 'oidc-provider/lib/helpers/errors.js'
import { Check, Prompt } from 'oidc-provider/lib/helpers/interaction_policy/index.js'
import instance from 'oidc-provider/lib/helpers/weak_cache.js'
import { Provider } from 'oidc-provider/lib/provider.js'
import type { OpenIdUseCases } from '../../../application/use-cases/openid.ts'
import type { AuthorizationWishes, PersonNeeded } from '../../../domain/authorization.ts'
import type { SessionFacts } from '../../../domain/session.ts'
import { AUTHORIZE } from '../pages/continue-path.ts'
import { signAccessToken } from './access-token.ts'
import { adapterFor } from './adapter.ts'
import { claimsOf, SCOPE_CLAIMS, SCOPES } from './claims.ts'
import { current, found } from './exchange.ts'
import type { PageFor } from './page-for.ts'
import { unregisteredUri } from './unregistered-uri.ts'

type Settings = Readonly<{ issuer: string; keys: ReadonlyArray<object>; pageFor: PageFor }>

/**
 * The library, contained: it validates requests, makes codes and refresh tokens and signs ID tokens. It has no pages, no cookies, no sign-in state
 * and no access tokens of its own.
 */
export const newProvider = (useCases: OpenIdUseCases, { issuer, keys, pageFor }: Settings): Provider => {
  const provider = new Provider(issuer, configuration(useCases, { keys, pageFor }))
  provider.proxy = false
  // The page of the library has no policy and one language, so the route shows its own.
  instance(provider).responseModes.set('form_post', (ctx, action, fields) => {
    current().posted = { action, fields }
    ctx.status = 200
    ctx.body = ''
  })
  provider.on('server_error', (_, error) => {
    current().unexpected = error
  })
  provider.on('pushed_authorization_request.error', (ctx, error) => {
    if (error instanceof errors.InvalidRedirectUri)
      ctx.body = { ...Object(ctx.body), error_description: unregisteredUri(uriIn(ctx)) }
  })
  // Access tokens are the user tokens of this service, so nothing is kept of them.
  Object.assign(provider.AccessToken.prototype, {
    async getValueAndPayload(this: { expiresIn: number }) {
      const { token, expiresInSeconds } = current().accessToken ?? (await signAccessToken(useCases))
      this.expiresIn = expiresInSeconds
      return { value: token }
    },
  })
  return provider
}

/** A code is exchanged at once (RFC 6749 §4.1.2). */
const CODE_SECONDS = 60

/** Clients read an ID token once, right after it was signed. */
const ID_TOKEN_SECONDS = 300

const configuration = (
  useCases: OpenIdUseCases,
  { keys, pageFor }: Pick<Settings, 'keys' | 'pageFor'>,
): Configuration => ({
  adapter: adapterFor(useCases),
  jwks: { keys: [...keys] },
  routes: {
    authorization: AUTHORIZE,
    token: '/oauth2/token',
    pushed_authorization_request: '/oauth2/par',
  },
  scopes: SCOPES,
  claims: SCOPE_CLAIMS,
  responseTypes: ['code'],
  acrValues: ['aal1', 'aal2'],
  conformIdTokenClaims: false,
  allowOmittingSingleRegisteredRedirectUri: false,
  pkce: { required: () => current().application?.requiresPkce !== false },
  features: {
    claimsParameter: { enabled: true },
    devInteractions: { enabled: false },
    dPoP: { enabled: false },
    resourceIndicators: { enabled: false },
    rpInitiatedLogout: { enabled: false },
  },
  clientBasedCORS: () => true, // the route decides
  findAccount: async (_, sub) => ({
    accountId: sub,
    claims: async (use) => claimsOf(current().session, use),
  }),
  loadExistingGrant: (ctx) => grantFor(useCases, ctx),
  interactions: {
    policy: [
      prompt('login', (ctx) => neededFor(useCases, ctx)),
      ...['select_account', 'consent', 'create'].map((name) => prompt(name)),
    ] as interactionPolicy.DefaultPolicy,
    url: async (ctx) => addressOfPage(ctx, pageFor),
  },
  issueRefreshToken: async () => true,
  rotateRefreshToken: () => true,
  expiresWithSession: async () => false,
  renderError: async (ctx, { error, error_description: description }, cause) => {
    const isAboutUri = cause instanceof errors.InvalidRedirectUri
    current().shown = { error, description: isAboutUri ? unregisteredUri(uriIn(ctx)) : description }
  },
  ttl: {
    AccessToken: () => 1, // set when it is signed
    AuthorizationCode: CODE_SECONDS,
    IdToken: ID_TOKEN_SECONDS,
    RefreshToken: () => sessionSeconds(useCases),
    Grant: () => sessionSeconds(useCases),
    Session: 1,
    Interaction: 1,
  },
})

const uriIn = ({ oidc }: KoaContextWithOIDC): string => String(oidc.params?.redirect_uri ?? '')

/** How long the session of the client can still live. */
const sessionSeconds = ({ now }: OpenIdUseCases): number => {
  const { session } = current()
  return session === undefined ? 1 : Math.max(1, session.session.endsAtSeconds - Math.floor(now()))
}

const ERRORS = ['login_required', 'interaction_required', 'account_selection_required'] as const

/** A value of `prompt`. The judgement of the domain replaces the checks of the library. */
const prompt = (
  name: string,
  neededBy?: (ctx: KoaContextWithOIDC) => Promise<PersonNeeded | undefined>,
): interactionPolicy.Prompt => {
  const made = new Prompt({ name, requestable: true })
  made.checks.clear()
  if (neededBy !== undefined)
    for (const error of ERRORS)
      made.checks.add(
        new Check(
          error,
          'a page for the person is needed',
          error,
          async (ctx) => (await neededBy(ctx))?.error === error,
        ),
      )
  return made
}

/** The library asks for a grant only if somebody is signed in. */
const neededFor = async (
  useCases: OpenIdUseCases,
  ctx: KoaContextWithOIDC,
): Promise<PersonNeeded | undefined> => {
  const exchange = current()
  if (isNone(exchange.visitor)) await judge(useCases, ctx)
  return exchange.needed
}

/** Judges the request, and opens the session of the client if nobody is needed. */
const judge = (
  { authorizeInBrowser }: OpenIdUseCases,
  ctx: KoaContextWithOIDC,
): Promise<Option<SessionFacts>> => {
  const exchange = current()
  const { application, visitor, context } = exchange
  if (application === undefined) throw new Error('The library asks for a grant before it has a client.')
  return found(
    pipe(
      authorizeInBrowser(context, { visitor, application, wishes: wishesOf(ctx) }),
      TE.map(some),
      TE.orElse((failure) => {
        if (failure._tag !== 'PersonNeeded') return TE.left(failure)
        exchange.needed = failure
        return TE.right(none)
      }),
    ),
  )
}

/** Returns the grant of the session of the client, with the scopes of this request. */
const grantFor = async (useCases: OpenIdUseCases, ctx: KoaContextWithOIDC) => {
  const judged = await judge(useCases, ctx)
  if (isNone(judged)) return undefined
  const facts = judged.value
  current().session = facts
  const { oidc } = ctx
  const { id, applicationId: clientId } = facts.session
  const grant =
    (await oidc.provider.Grant.find(id)) ??
    Object.assign(new oidc.provider.Grant({ accountId: facts.user.id, clientId }), { jti: id })
  grant.addOIDCScope([...oidc.requestParamOIDCScopes].join(' '))
  await grant.save()
  oidc.session?.sidFor(clientId, id)
  // So the code carries `sid` into the ID token.
  Object.assign(oidc, { claims: { ...oidc.claims, id_token: { ...oidc.claims.id_token, sid: null } } })
  return grant
}

const wishesOf = ({ oidc }: KoaContextWithOIDC) => {
  const { params = {}, claims } = oidc
  const acr = claims.id_token?.acr
  const named =
    acr?.essential === true
      ? [acr.value, ...(Array.isArray(acr.values) ? acr.values : [])]
      : String(params.acr_values ?? '').split(' ')
  const levels = named.filter((one) => one !== undefined && one !== '')
  if (acr?.essential === true && levels.length > 0 && !levels.some((one) => one === 'aal1' || one === 'aal2'))
    throw new errors.CustomOIDCProviderError('unmet_authentication_requirements', 'no such acr is possible')
  const maxAge = params.max_age === undefined ? undefined : Number(params.max_age)
  return {
    prompts: oidc.prompts,
    maxAgeSeconds: maxAge,
    acr: levels.includes('aal2') && !levels.includes('aal1') ? 'aal2' : 'aal1',
    subject: subjectIn(oidc),
    continuedSince: current().continuedSince,
  } satisfies Omit<AuthorizationWishes, 'maxAgeSeconds'> & { maxAgeSeconds: number | undefined }
}

/** The user that the client expects: of `id_token_hint`, or of `claims`. */
const subjectIn = ({ entities, claims }: KoaContextWithOIDC['oidc']): string | undefined => {
  const hinted = entities.IdTokenHint?.payload.sub
  const claimed = claims.id_token?.sub?.value
  return typeof hinted === 'string' ? hinted : typeof claimed === 'string' ? claimed : undefined
}

const addressOfPage = ({ oidc }: KoaContextWithOIDC, pageFor: PageFor): string => {
  const { needed } = current()
  if (needed === undefined) throw new Error('The library asks for a page that nobody needs.')
  const params = Object.entries(oidc.params ?? {}).flatMap(([name, value]) =>
    typeof value === 'string' ? [[name, value] as [string, string]] : [],
  )
  const query = new URLSearchParams(params).toString()
  const of = (name: string) => params.find(([known]) => known === name)?.[1]
  const path = pageFor(needed, query, { loginHint: of('login_hint'), uiLocales: of('ui_locales') })
  if (path === '') throw new errors.InvalidRequest(TOO_LONG)
  return path
}

const TOO_LONG = 'the request is too long to go on after a sign-in: shorten state, claims or redirect_uri'
