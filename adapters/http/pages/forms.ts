import type { AssertionOptions, RegistrationOptions } from '../../../domain/passkey-options.ts'
import { type Html, html, type Part } from '../operation/html.ts'
import { errorHtml, type FieldError, fieldHtml, hiddenHtml, type Input, pathOfForm } from './fields.ts'
import type { Visit } from './visit.ts'

/** Its hidden inputs are those of every form, and these. */
export type PageForm = Readonly<{
  path: string
  inputs?: ReadonlyArray<Input>
  hidden?: Readonly<Record<string, string>>
  button: string
  /** It is not what most people come for. */
  isSecond?: true
}>

/** A form that is posted to the page it is on. */
export const formHtml = (
  visit: Visit,
  { path, inputs = [], hidden = {}, button, isSecond }: PageForm,
  values: Readonly<Record<string, string | undefined>> = {},
  errors: ReadonlyArray<FieldError> = [],
): Html => {
  const { say } = visit.language
  return html`<form method="post" action="${pathOfForm(path)}" novalidate>
${hiddenHtml({ ...hidden, ...visit.hidden() })}
${inputs.map((input) => fieldHtml(say, input, values[input.name] ?? '', errors))}<button${isSecond && html` class="second"`}>${button}</button>
</form>
`
}

/** The way back to what led a person here. */
export const goOnHtml = ({ continued, onward, language }: Visit): Part =>
  continued !== undefined && html`<p><a href="${onward}">${language.say('go.link')}</a></p>`

type PasskeyForm = Readonly<
  {
    path: string
    hidden?: Readonly<Record<string, string>>
    /** The browser offers its passkeys at once, in the field of the e-mail. */
    isOffered?: boolean
  } & ({ options: AssertionOptions | undefined } | { creates: RegistrationOptions | undefined })
>

/** A form whose button asks the browser for a passkey, or to make one. Without the script its button stays hidden. */
export const passkeyHtml = (
  visit: Visit,
  { path, hidden = {}, isOffered = false, ...ceremony }: PasskeyForm,
  errors: ReadonlyArray<FieldError> = [],
): Part => {
  const { say } = visit.language
  const error = errors.find(({ param }) => param === 'credential')
  const isNew = 'creates' in ceremony
  const options = isNew ? ceremony.creates : ceremony.options
  if (options === undefined) return undefined
  return html`<form method="post" action="${pathOfForm(path)}" data-passkey="${isNew ? 'create' : 'get'}" data-options="${JSON.stringify(options)}" data-failed="${say(isNew ? 'passkey.add_failed' : 'passkey.use_failed')}"${isOffered && html` data-offered`}>
${hiddenHtml({ ...hidden, ...visit.hidden() })}<input type="hidden" name="credential" value="">
${
  !isNew &&
  html`<p class="or">${say('page.or')}</p>
`
}${error !== undefined && errorHtml(say, error)}<button id="credential" class="second" hidden${error !== undefined && html` aria-describedby="credential-error"`}>${say(isNew ? 'passkey.add' : 'passkey.use')}</button>
<p class="error" role="alert"></p>
</form>
`
}

/** A notice of the page before, or of this one. */
export const noticeHtml = (text: string | undefined): Part =>
  text !== undefined && html`<p class="done" role="status">${text}</p>`
