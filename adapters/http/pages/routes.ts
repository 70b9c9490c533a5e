import type { PageUseCases } from '../../../application/use-cases/pages.ts'
import type { RequestUseCases } from '../../../application/use-cases/requests.ts'
import type { PasswordPolicy } from '../../../domain/password-policy.ts'
import type { Branding } from '../../texts/branding.ts'
import type { Languages } from '../../texts/languages.ts'
import type { Responder } from '../operation/operation.ts'
import { redirect } from '../operation/redirect.ts'
import { type Route, withPrefix } from '../operation/route.ts'
import { CHANGE_EMAIL, changeEmailPage } from './change-email.ts'
import { emailPage } from './email.ts'
import { forgottenPage, mailRecoveryLink } from './forgotten.ts'
import { type HomeUseCases, homePage } from './home.ts'
import { type IdentityUseCases, identityPage } from './identity.ts'
import { layout } from './layout.ts'
import type { Once } from './once.ts'
import { PASSWORD, passwordPage } from './password.ts'
import { recoveryPage } from './recovery.ts'
import { registerPage } from './register.ts'
import { removePage } from './remove.ts'
import { type SecondFactorUseCases, secondFactorPage } from './second-factor.ts'
import { type SecurityUseCases, securityPage } from './security.ts'
import { type SessionPage, sessionRoute } from './session-page.ts'
import { type SignInUseCases, signInPage } from './sign-in.ts'
import { signOutPage } from './sign-out.ts'
import { type StepUpUseCases, stepUpPage } from './step-up.ts'
import type { Site } from './visit.ts'

/** What the pages need of the use cases. */
export type UseCasesOfPages = PageUseCases &
  SignInUseCases &
  SecondFactorUseCases &
  HomeUseCases &
  StepUpUseCases &
  SecurityUseCases &
  Pick<IdentityUseCases, 'identities' | 'stepUp'> &
  Pick<RequestUseCases, 'changePassword' | 'removeOwnAccount'> &
  Pick<RequestUseCases, 'completeRecovery' | 'completeEmailConfirmation'>

/** The routes of the OpenID provider for browsers. */
type OpenIdRoutes = Pick<SignInUseCases, 'clientName'> &
  Readonly<{ browserRoutes: (site: Site) => ReadonlyArray<Route<Responder>> }>

/**
 * Pages for people (docs/account-pages.md). `/openapi.json` does not describe them: programs use the API.
 *
 * The W3C defines the change-password URL at the root of an origin. A proxy may forward only the prefix, so it is below the prefix
 * too.
 *
 * @param name of the product
 * @param prefix the path part of the public URL
 * @param origin the rest of it
 */
export const pagesRoutes = ({
  useCases,
  name,
  branding,
  policy,
  prefix,
  openIdProvider,
  ...given
}: Readonly<{
  useCases: UseCasesOfPages
  name: string
  branding?: Branding
  prefix: string
  origin: string
  policy: PasswordPolicy
  languages: Languages
  once: Once
  openIdProvider: OpenIdRoutes | undefined
}>): ReadonlyArray<Route<Responder>> => {
  const laidOut = layout(name, branding)
  const { browsers, mailLinks, registration, pageIdentities } = useCases
  if (browsers === undefined) return []
  const site: Site = { ...given, prefix, layout: laidOut, browsers }
  const route = <Name extends string>(page: SessionPage<Name>) => sessionRoute(site, page)
  const mailLink = mailLinks && mailRecoveryLink(site, mailLinks)
  const toPassword = redirect('/.well-known/change-password', 303, `${prefix}${PASSWORD}`)
  return [
    ...withPrefix(prefix, [
      route(signInPage(site, { ...useCases, clientName: openIdProvider?.clientName })),
      route(secondFactorPage(site, useCases)),
      route(
        homePage(
          site,
          useCases,
          LINKS.filter(([path]) => path !== CHANGE_EMAIL || mailLinks !== undefined).map(([path, text]) => [
            path,
            text === 'home.security' && pageIdentities !== undefined ? 'home.security_identities' : text,
          ]),
        ),
      ),
      route(signOutPage(site)),
      route(stepUpPage(site, useCases)),
      route(passwordPage(useCases, policy, mailLink)),
      route(securityPage(site, useCases)),
      route(removePage(site, useCases)),
      ...(pageIdentities === undefined
        ? []
        : pageIdentities.providers.map((provider) =>
            route(identityPage(site, { ...useCases, pageIdentities }, provider)),
          )),
      route(recoveryPage(useCases, policy)),
      route(emailPage(useCases)),
      ...(mailLinks === undefined ? [] : [route(changeEmailPage(mailLinks))]),
      ...(mailLink === undefined ? [] : [route(forgottenPage(site, mailLink))]),
      ...(registration === undefined
        ? []
        : [route(registerPage(site, { ...useCases, registration }, policy))]),
      toPassword,
      ...(openIdProvider?.browserRoutes(site) ?? []),
    ]),
    ...(prefix === '' ? [] : [toPassword]),
  ]
}

const LINKS = [
  ['/account/password', 'home.password'],
  [CHANGE_EMAIL, 'home.email'],
  ['/account/security', 'home.security'],
  ['/account/remove', 'home.remove'],
] as const
