import { type Either, right } from 'fp-ts/lib/Either.js'
import type { StartedIdentity } from '../../../application/factors/start-identity.ts'
import type { AtProvider, BrowserCookies } from '../../../application/pages/browser-cookies.ts'
import type { PageIdentities, PageProvider } from '../../../application/pages/page-identities.ts'
import type { StoreUnavailable } from '../../../application/ports/store.ts'
import type { UserCaller } from '../../../domain/access.ts'
import type { Field } from '../../../domain/field.ts'
import { isUuid } from '../../../domain/uuid.ts'
import type { Say } from '../../texts/texts.ts'
import { type Html, html, type Part } from '../operation/html.ts'
import { alertHtml } from './fields.ts'
import { formHtml } from './forms.ts'
import { goToProvider } from './identity-cookies.ts'
import type { Reply } from './session-page.ts'
import type { Visit } from './visit.ts'

/** The step of the forms below, and what they send besides. */
export const IDENTITY_STEP = 'identity'

/** The names of the providers at which a user has an identity. */
export const linkedAtProviders = async (
  { pageIdentities }: Readonly<{ pageIdentities: PageIdentities | undefined }>,
  caller: Pick<UserCaller, 'user'>,
): Promise<Either<StoreUnavailable, ReadonlyArray<string>>> =>
  pageIdentities === undefined ? right([]) : pageIdentities.linkedAt(caller)()

type Buttons = Readonly<{
  path: string
  step: string
  text: 'identity.sign_in' | 'identity.step_up' | 'identity.link'
  hidden?: Readonly<Record<string, string>>
}>

/** One form for each provider. Its button leads there. */
export const providerForms = (
  visit: Visit,
  providers: ReadonlyArray<PageProvider>,
  { path, step, text, hidden = {} }: Buttons,
): ReadonlyArray<Html> =>
  providers.map(({ name, label }) =>
    formHtml(visit, {
      path,
      hidden: { ...hidden, step, provider: name },
      button: visit.language.say(text, { provider: label }),
      isSecond: true,
    }),
  )

/** Leads the browser to a provider, and lets it keep what the answer belongs to. */
export const toProvider = (
  cookies: BrowserCookies,
  visit: Visit,
  started: StartedIdentity,
  about: Pick<AtProvider, 'purpose' | 'provider'> & Readonly<{ replaces?: Field }>,
): Reply => ({
  to: started.url,
  leaves: true,
  cookies: goToProvider(cookies, visit.message, started, {
    purpose: about.purpose,
    provider: about.provider,
    transaction: started.transaction,
    next: visit.next,
    language: visit.chosenLanguage ?? '',
    replaces: about.replaces !== undefined && isUuid(about.replaces) ? about.replaces : '', // a cookie holds it
  }),
})

/** What the page after an answer says is wrong: the code of the API, and its text. */
const PROBLEMS = {
  identity_refused: [4, 'identity.refused'],
  identity_no_email: [5, 'identity.no_email'],
  identity_link_first: [6, 'identity.link_first'],
  identity_disabled: [7, 'identity.disabled'],
  identity_taken: [9, 'identity.taken'],
  identity_unverified: [10, 'identity.unverified'],
  identity_unknown: [11, 'identity.unknown'],
  identity_factor_missing: [12, 'error.second_factor_missing'],
  identity_email_not_verified: [14, 'error.email_not_verified'],
  last_way_in: [3, 'identity.last_way_in'],
  identity_too_many: [15, 'identity.too_many'],
} as const

export type IdentityNotice = keyof typeof PROBLEMS

/** The page before says what is wrong by its name. */
export const identityProblem = (notice: Field): IdentityNotice | undefined =>
  notice !== undefined && Object.hasOwn(PROBLEMS, notice) ? (notice as IdentityNotice) : undefined

/** Undefined without a problem. */
export const identityProblemHtml = (say: Say, notice: Field): Part => {
  const problem = identityProblem(notice)
  if (problem === undefined) return undefined
  const [code, text] = PROBLEMS[problem]
  return alertHtml(say('page.problem'), html`<p data-code="${code}">${say(text)}</p>`)
}
