import type { ListedFactor } from '../../../application/factors/list-factors.ts'
import type { PageProvider } from '../../../application/pages/page-identities.ts'
import { MAX_IDENTITIES } from '../../../domain/factor.ts'
import { html, type Part } from '../operation/html.ts'
import { CHANGE_EMAIL } from './change-email.ts'
import { factorHtml, SECURITY } from './factor-views.ts'
import { providerForms } from './identity-forms.ts'
import type { SignedInVisit } from './visit.ts'

/** The step that leads to a provider, to link an identity there. */
export const LINK_IDENTITY = 'link_identity'

export type ListedIdentities = Readonly<{
  linked: ReadonlyArray<ListedFactor>
  /** Where the person can still link one. */
  providers: ReadonlyArray<PageProvider>
}>

/** The identities of a person at other providers, and the providers where one can be linked. */
export const identitiesHtml = (
  visit: SignedInVisit,
  { linked, providers }: ListedIdentities,
  canConfirm: boolean,
): Part => {
  if (linked.length === 0 && providers.length === 0) return undefined
  const { say } = visit.language
  return html`<h2>${say('identity.heading')}</h2>
${
  linked.length === 0
    ? html`<p>${say('identity.intro')}</p>`
    : html`<ul class="factors">${linked.map((identity) => factorHtml(visit, identity))}</ul>`
}
${linkHtml(visit, { linked, providers }, canConfirm)}`
}

const linkHtml = (
  visit: SignedInVisit,
  { linked, providers }: ListedIdentities,
  canConfirm: boolean,
): Part => {
  const { say } = visit.language
  if (providers.length === 0) return undefined
  if (linked.length >= MAX_IDENTITIES) return html`<p>${say('identity.too_many')}</p>`
  if (visit.caller.user.emailVerified)
    return providerForms(visit, providers, { path: SECURITY, step: LINK_IDENTITY, text: 'identity.link' })
  return html`<p>${say('identity.unverified')}</p>${
    canConfirm &&
    html`<p><a href="${visit.href(CHANGE_EMAIL, { continue: visit.continued })}">${say('home.email.unconfirmed')}</a></p>`
  }`
}
