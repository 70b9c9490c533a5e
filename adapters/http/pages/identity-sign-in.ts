import { type Either, isRight, left, right } from 'fp-ts/lib/Either.js'
import type { BrowserCookies } from '../../../application/pages/browser-cookies.ts'
import type { PageIdentities } from '../../../application/pages/page-identities.ts'
import type { ApplicationCaller } from '../../../domain/access.ts'
import type { Field } from '../../../domain/field.ts'
import { html, type Part } from '../operation/html.ts'
import type { FormFailure } from './failures.ts'
import { IDENTITY_STEP, providerForms, toProvider } from './identity-forms.ts'
import type { Reply } from './session-page.ts'
import type { Visit } from './visit.ts'

const SIGN_IN = '/account/sign-in'

/** The buttons of the providers on the sign-in page. One that cannot ask a user again has none where that is wanted. */
export const signInButtons = (
  visit: Visit,
  identities: PageIdentities | undefined,
  hidden: Readonly<Record<string, string>>,
  loginHint: Field,
): Part => {
  const usable = (identities?.providers ?? []).filter(
    ({ isNeverAgain }) => !(visit.wantsFreshSignIn && isNeverAgain),
  )
  const hint = loginHint === undefined ? {} : { login_hint: loginHint }
  return (
    usable.length > 0 &&
    html`<p class="or">${visit.language.say('page.or')}</p>
${providerForms(visit, usable, {
  path: SIGN_IN,
  step: IDENTITY_STEP,
  text: 'identity.sign_in',
  hidden: { ...hidden, ...hint },
})}`
  )
}

type Attempt = Readonly<{
  visit: Visit
  form: Readonly<Record<'provider' | 'replaces' | 'login_hint', Field>>
  caller: ApplicationCaller
}>

/** Leads to a provider. Its answer comes to a page of its own. */
export const startAtProvider = async (
  cookies: BrowserCookies,
  identities: PageIdentities | undefined,
  { visit, form: { provider = '', replaces, login_hint: loginHint }, caller }: Attempt,
): Promise<Either<FormFailure, Reply>> => {
  const isAgain = visit.wantsFreshSignIn
  const started = await identities?.startSignIn(caller, { provider, loginHint, isAgain })()
  if (started !== undefined && isRight(started))
    return right(toProvider(cookies, visit, started.right, { purpose: 'sign_in', provider, replaces }))
  return started === undefined || started.left._tag === 'Invalid'
    ? right({ to: visit.href(SIGN_IN, { continue: visit.continued }) })
    : left(started.left)
}
