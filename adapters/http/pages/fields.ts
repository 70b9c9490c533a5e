import type { Say } from '../../texts/texts.ts'
import { type Html, html, type Part } from '../operation/html.ts'
import type { ErrorItem } from '../operation/response.ts'

/** One input of a form. The browser and password managers know it by `autocomplete`. */
export type Input = Readonly<{
  name: string
  label: string
  type: 'email' | 'password' | 'text' | 'checkbox'
  autocomplete:
    | 'username'
    | 'username webauthn'
    | 'email'
    | 'current-password'
    | 'new-password'
    | 'one-time-code'
    | 'off'
  hint?: string | undefined
  minLength?: number | undefined
  /** The keyboard that a phone shows. */
  inputMode?: 'numeric' | undefined
  /** The form can be sent without it. */
  isOptional?: true | undefined
  /** It cannot be changed. Password managers see whose password it is. */
  isFixed?: true | undefined
  /** What was sent is shown again after a mistake. An e-mail always is. */
  isShownAgain?: true | undefined
}>

/** A problem as a person reads it. `param` is the input. */
export type FieldError = ErrorItem &
  Readonly<{
    /** Another input that may be the wrong one. */
    alsoAt?: string
  }>

/** Renders an input with its label, its hint and its error. A sent password or code is never shown again. */
export const fieldHtml = (
  say: Say,
  { name, label, type, autocomplete, hint, minLength, inputMode, isOptional, isFixed, isShownAgain }: Input,
  value: string,
  errors: ReadonlyArray<FieldError>,
): Html => {
  const own = errors.find(({ param }) => param === name)
  const error = own ?? errors.find(({ alsoAt }) => alsoAt === name)
  const describedBy = [
    ...(hint === undefined ? [] : [`${name}-hint`]),
    ...(error === undefined ? [] : [errorId(error)]),
  ].join(' ')
  if (type === 'checkbox')
    return html`<div class="field">
${own !== undefined && errorHtml(say, own)}<div class="check"><input id="${name}" name="${name}" type="checkbox" value="on" required${own !== undefined && html` aria-invalid="true" aria-describedby="${errorId(own)}"`}><label for="${name}">${label}</label></div>
</div>
`
  const input = html`<input id="${name}" name="${name}" type="${type}" autocomplete="${autocomplete}"${[
    isOptional !== true && isFixed !== true && html` required`,
    isFixed && html` readonly`,
    (type === 'email' || isShownAgain) && html` value="${value}"`,
    type !== 'password' && html` autocapitalize="none" spellcheck="false"`,
    inputMode !== undefined && html` inputmode="${inputMode}"`,
    minLength !== undefined && html` minlength="${minLength}"`,
    describedBy !== '' && html` aria-describedby="${describedBy}"`,
    error !== undefined && html` aria-invalid="true"`,
  ]}>`
  return html`<div class="field">
<label for="${name}">${label}</label>
${hint !== undefined && html`<p class="hint" id="${name}-hint">${hint}</p>`}${own !== undefined && errorHtml(say, own)}
${type === 'password' ? html`<div class="secret">${input}</div>` : input}
</div>
`
}

/** Renders the error of an input. */
export const errorHtml = (say: Say, error: FieldError): Html =>
  html`<p class="error" id="${errorId(error)}" data-code="${error.code}">${say('page.error', { text: error.message })}</p>`

const errorId = ({ param }: FieldError): string => `${param}-error`

/** Renders all problems, each with a link to its input. The browser moves the focus here when it shows the page. */
export const summaryHtml = (say: Say, errors: ReadonlyArray<FieldError>): Part =>
  errors.length > 0 &&
  alertHtml(
    say('page.problem'),
    html`<ul>${errors.map(({ param, message }) => html`<li><a href="#${param}">${message}</a></li>`)}</ul>`,
  )

/** Renders a message that screen readers read first. */
export const alertHtml = (heading: string, content: Html): Html =>
  html`<div class="summary" role="alert" tabindex="-1" autofocus>
<h2>${heading}</h2>
${content}
</div>
`

/** Renders hidden inputs. */
export const hiddenHtml = (hidden: Readonly<Record<string, string>>): Part =>
  Object.entries(hidden).map(([name, value]) => html`<input type="hidden" name="${name}" value="${value}">`)

/** The address of a form that is posted to the page it is on. It is relative and has no query, so that no token is in the URL of the POST request. */
export const pathOfForm = (path: string): string => path.slice(path.lastIndexOf('/') + 1)
