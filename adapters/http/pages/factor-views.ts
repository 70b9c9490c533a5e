import { isNone } from 'fp-ts/lib/Option.js'
import type { ListedFactor } from '../../../application/factors/list-factors.ts'
import { isIdentity } from '../../../domain/factor.ts'
import { type Html, html } from '../operation/html.ts'
import { type FieldError, hiddenHtml, pathOfForm } from './fields.ts'
import { formHtml } from './forms.ts'
import { type Page, pageOf } from './layout.ts'
import type { SignedInVisit } from './visit.ts'

export const SECURITY = '/account/security'

export const backHtml = (visit: SignedInVisit): Html =>
  html`<p><a href="${visit.href(SECURITY, { continue: visit.continued })}">${visit.language.say('security.back')}</a></p>`

export const NAME_INPUT = { name: 'name', type: 'text', autocomplete: 'off', isShownAgain: true } as const

/** The step that removes an identity. */
export const REMOVE_IDENTITY = 'remove_identity'

/** Whether it is the only second factor: an identity is none. */
export const isLastOf = (factors: ReadonlyArray<ListedFactor>, factor: ListedFactor): boolean =>
  !isIdentity(factor) && factors.filter((one) => !isIdentity(one)).length === 1

const KINDS = {
  totp: 'security.totp',
  passkey: 'security.passkey',
  recovery_codes: 'security.codes',
  identity: 'security.identity',
} as const

/** The name of a factor labels its buttons, so that screen readers tell those of several factors apart. */
export const factorHtml = (
  visit: SignedInVisit,
  { id, kind, name, createdAtSeconds, usedAtSeconds }: ListedFactor,
): Html => {
  const { say, time } = visit.language
  const used = isNone(usedAtSeconds)
    ? say('security.unused')
    : say('security.used', { time: time(usedAtSeconds.value) })
  const button = (step: 'rename' | 'ask_removal', text: 'rename' | 'remove') =>
    html`<button name="step" value="${step}" class="second" aria-describedby="factor-${id}">${say(`security.${text}`)}</button>`
  return html`<li>
${kind === 'identity' ? html`<h3 id="factor-${id}">${name}</h3>` : html`<h2 id="factor-${id}">${name}</h2>`}
<p>${say('security.added', { kind: say(KINDS[kind]), time: time(createdAtSeconds) })}. ${used}.</p>
<form method="post" action="${pathOfForm(SECURITY)}">
${hiddenHtml({ factor_id: id, ...visit.hidden() })}
${button('rename', 'rename')}
${button('ask_removal', 'remove')}
</form>
</li>
`
}

/** Asks before a factor is removed, and says what ends with it. */
export const removingPage = (
  visit: SignedInVisit,
  { id, kind, name }: Pick<ListedFactor, 'id' | 'kind' | 'name'>,
  isLast: boolean,
): Page => {
  const { say } = visit.language
  return {
    heading: say(kind === 'identity' ? 'identity.removing' : 'security.removing'),
    content: html`<p>${say(isLast ? 'security.removing_last' : 'security.removing_one', { name })}</p>
${formHtml(visit, { path: SECURITY, hidden: { step: kind === 'identity' ? REMOVE_IDENTITY : 'remove', factor_id: id }, button: say('security.remove') })}${backHtml(visit)}`,
  }
}

/** A new name for a factor. */
export const renamingPage = (
  visit: SignedInVisit,
  { id, kind, name }: Pick<ListedFactor, 'id' | 'kind' | 'name'>,
  errors: ReadonlyArray<FieldError> = [],
): Page => {
  const { say } = visit.language
  return pageOf({
    language: visit.language,
    heading: say(kind === 'identity' ? 'identity.renaming' : 'security.renaming'),
    errors,
    content: html`${formHtml(
      visit,
      {
        path: SECURITY,
        hidden: { step: 'save_name', factor_id: id, kind },
        inputs: [{ ...NAME_INPUT, label: say('security.new_name') }],
        button: say('security.save'),
      },
      { name },
      errors,
    )}${backHtml(visit)}`,
  })
}
