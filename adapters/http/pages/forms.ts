import type { AssertionOptions } from '../../../domain/passkey-options.ts'
import { type Html, html, type Part } from '../operation/html.ts'
import { errorHtml, type FieldError, hiddenHtml, type Input, pathOfForm } from './fields.ts'
import { postFormHtml } from './post-form.ts'
import type { Visit } from './visit.ts'

/** A form that is posted to the page it is on. Hidden inputs are those of every form, and these. */
export type PageForm = Readonly<{
  path: string
  inputs?: ReadonlyArray<Input>
  hidden?: Readonly<Record<string, string>>
  button: string
}>

export const formHtml = (
  visit: Visit,
  { inputs = [], hidden = {}, ...form }: PageForm,
  values: Readonly<Record<string, string | undefined>> = {},
  errors: ReadonlyArray<FieldError> = [],
): Html =>
  postFormHtml(
    visit.language.say,
    { ...form, inputs, hidden: { ...hidden, ...visit.hidden() } },
    values,
    errors,
  )

/** A form whose button asks the browser for a passkey. Without the script its button stays hidden. */
export const passkeyHtml = (
  visit: Visit,
  {
    path,
    options,
    hidden = {},
    isOffered = false,
  }: Readonly<{
    path: string
    options: AssertionOptions | undefined
    hidden?: Readonly<Record<string, string>>
    isOffered?: boolean
  }>,
  errors: ReadonlyArray<FieldError> = [],
): Part => {
  if (options === undefined) return undefined
  const { say } = visit.language
  const error = errors.find(({ param }) => param === 'credential')
  return html`<form method="post" action="${pathOfForm(path)}" data-passkey="get" data-options="${JSON.stringify(options)}" data-failed="${say('passkey.use_failed')}"${isOffered && html` data-offered`}>
${hiddenHtml({ ...hidden, ...visit.hidden() })}<input type="hidden" name="credential" value="">
<p class="or">${say('page.or')}</p>
${error !== undefined && errorHtml(say, error)}<button id="credential" class="second" hidden${error !== undefined && html` aria-describedby="credential-error"`}>${say('passkey.use')}</button>
<p class="error" role="alert"></p>
</form>
`
}

/** A notice of the page before, or of this one. */
export const noticeHtml = (text: string | undefined): Part =>
  text !== undefined && html`<p class="done" role="status">${text}</p>`
