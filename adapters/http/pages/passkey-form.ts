import type { PageCeremony } from '../../../application/factors/passkey-on-page.ts'
import { SECURITY_PAGE } from '../../../domain/page-visitor.ts'
import { type Html, html } from '../operation/html.ts'
import { ENGLISH } from './english.ts'
import { errorHtml, type FieldError, hiddenHtml, pathOfForm } from './fields.ts'

/** A form whose button asks the browser for a passkey. `hidden` are its hidden inputs. */
type PasskeyForm = Readonly<{ ceremony: PageCeremony; hidden: Readonly<Record<string, string>> }>

const TEXTS: Readonly<Record<PageCeremony['method'], Readonly<{ button: string; failed: string }>>> = {
  create: {
    button: 'Add a passkey',
    failed:
      'No passkey was added. Try again, or use another device. A device that already has a passkey for this account cannot add another one.',
  },
  get: {
    button: 'Sign in with a passkey',
    failed: 'No passkey was used. Try again, or use another way to sign in.',
  },
}

/** Renders the form. Without the script its button stays hidden. */
export const passkeyFormHtml = (
  { ceremony: { method, options }, hidden }: PasskeyForm,
  errors: ReadonlyArray<FieldError> = [],
): Html => {
  const { button, failed } = TEXTS[method]
  const error = errors.find(({ param }) => param === 'credential')
  return html`<form method="post" action="${pathOfForm(SECURITY_PAGE)}" data-passkey="${method}" data-options="${JSON.stringify(options)}" data-failed="${failed}">
${hiddenHtml(hidden)}<input type="hidden" name="credential" value="">
${error !== undefined && errorHtml(ENGLISH.say, error)}<button id="credential" hidden${error !== undefined && html` aria-describedby="credential-error"`}>${button}</button>
<p class="error" role="alert"></p>
</form>
`
}
