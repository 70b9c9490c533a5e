import { isRight } from 'fp-ts/lib/Either.js'
import { toUndefined } from 'fp-ts/lib/Option.js'
import type { AuthenticateApplication } from '../../../application/applications/authenticate-application.ts'
import type { Authenticate } from '../../../application/sessions/authenticate.ts'
import type { EndBrowser } from '../../../application/sessions/end-browser.ts'
import type { OpenIdUseCases } from '../../../application/use-cases/openid.ts'
import type { NeededStep } from '../../../domain/authorization.ts'
import type { OpenIdParts } from '../oauth/routes.ts'
import { forAnyOrigin } from '../operation/cross-origin.ts'
import type { Responder } from '../operation/operation.ts'
import type { Route } from '../operation/route.ts'
import { CHANGE_EMAIL } from '../pages/change-email.ts'
import { AUTHORIZE, isAuthorization, MOST_CHARACTERS } from '../pages/continue-path.ts'
import { sessionRoute } from '../pages/session-page.ts'
import { REGISTER, SIGN_IN } from '../pages/sign-in.ts'
import { STEP_UP } from '../pages/step-up.ts'
import type { Site } from '../pages/visit.ts'
import { authorizeRoute, CONTINUED } from './authorize.ts'
import { askAsClient, authenticateClient } from './clients.ts'
import { forPagesOfClients } from './cors.ts'
import { endSessionPage, endSessionRoute } from './end-session.ts'
import { findGrantedScopes } from './granted-scopes.ts'
import { openIdLibrary } from './library.ts'
import { measured, type OpenIdMeter } from './measured.ts'
import { endpointsOfProvider, openIdMetadataRoute } from './metadata.ts'
import type { PageFor } from './page-for.ts'
import { parRoute } from './par.ts'
import { userinfoRoute } from './userinfo.ts'

/** The OpenID provider (docs/openid.md): what it adds to the routes of OAuth, its own operations, and its routes for browsers. */
export type OpenIdProvider = OpenIdParts &
  Readonly<{
    browserRoutes: (site: Site) => ReadonlyArray<Route<Responder>>
    /** Returns the name of the client whose request goes on at this path of a page. */
    clientName: (path: string) => Promise<string | undefined>
  }>

/**
 * @param issuer the public URL
 * @param prefix the path part of it
 * @param has which pages there are
 */
export const openIdProvider = ({
  useCases,
  authenticate,
  authenticateApplication,
  endBrowser,
  issuer,
  prefix,
  has,
  meter,
}: Readonly<{
  useCases: OpenIdUseCases
  authenticate: Authenticate
  authenticateApplication: AuthenticateApplication
  endBrowser: EndBrowser
  issuer: string
  prefix: string
  has: Readonly<{ registration: boolean; changeEmail: boolean }>
  meter: OpenIdMeter
}>): OpenIdProvider => {
  const library = measured(
    openIdLibrary(useCases, { issuer, pageFor: pageFor(useCases, prefix, has) }),
    meter,
  )
  const asClient = authenticateClient({ ...useCases, authenticateApplication })
  const ask = askAsClient({ authenticate: asClient, library })
  const forPages = forPagesOfClients(useCases.findClient)
  return {
    forPages,
    endpoints: endpointsOfProvider(issuer),
    answerGrant: ({ caller: keys, fields, context }) => ask(context, keys, { path: '/oauth2/token', fields }),
    revocation: { authenticateApplication: asClient, revokeToken: useCases.revokeToken },
    operations: [
      forPages(parRoute(ask)),
      forPages(userinfoRoute({ authenticate, findGrantedScopes: findGrantedScopes(useCases.state) })),
      forAnyOrigin(openIdMetadataRoute(issuer)),
    ],
    clientName: (path) => clientName(useCases, path, prefix),
    browserRoutes: (site) => [
      authorizeRoute({ site, library, useCases }),
      endSessionRoute(site),
      sessionRoute(site, endSessionPage({ library, endBrowser, findClient: useCases.findClient })),
    ],
  }
}

/** Without a name, or if it cannot be read now, the page says nothing about the client. */
const clientName = async (
  { findClient }: Pick<OpenIdUseCases, 'findClient'>,
  path: string,
  prefix: string,
): Promise<string | undefined> => {
  if (!isAuthorization(path, prefix)) return undefined
  const id = new URLSearchParams(path.slice(path.indexOf('?') + 1)).get('client_id') ?? ''
  const client = await findClient(id)()
  return isRight(client) ? toUndefined(client.right)?.name : undefined
}

/** Returns the page of what a person does first. From there the same request goes on. '' if it is too long for that. */
const pageFor =
  (
    { continued }: Pick<OpenIdUseCases, 'continued'>,
    prefix: string,
    has: Readonly<{ registration: boolean; changeEmail: boolean }>,
  ): PageFor =>
  ({ step, sinceSeconds }, query, { loginHint, uiLocales }) => {
    const onward = `${prefix}${AUTHORIZE}?${query}${CONTINUED}${continued.seal(query, sinceSeconds)}`
    if (onward.length > MOST_CHARACTERS) return ''
    const [path, notice] = PAGES[step === 'register' && !has.registration ? 'sign_in' : step]
    const parameters = {
      continue: onward,
      ...(notice !== undefined && { notice }),
      ...(loginHint !== undefined && { login_hint: loginHint }),
      ...(uiLocales !== undefined && { ui_locales: uiLocales }),
    }
    const known = path === CHANGE_EMAIL && !has.changeEmail ? '/account' : path
    return `${prefix}${known}?${new URLSearchParams(parameters)}`
  }

const PAGES: Readonly<Record<NeededStep, readonly [path: string, notice?: string]>> = {
  sign_in: [SIGN_IN],
  register: [REGISTER],
  choose_account: [SIGN_IN, 'choose_account'],
  other_account: [SIGN_IN, 'other_account'],
  step_up: [STEP_UP],
  second_factor: ['/account/security', 'factor_needed'],
  verified_email: [CHANGE_EMAIL, 'email_needed'],
}
