import { createHash } from 'node:crypto'
import type { UserResult } from 'portcullis-client'
import { type Html, html } from './browser.ts'

/** The options for the browser. */
export type Ceremony = Readonly<{ options: object }>

/** The only script of the page. It shows the forms, asks the browser for a passkey, and sends it with the form. */
const SCRIPT = `
const api = window.PublicKeyCredential
if (api?.parseCreationOptionsFromJSON && api.parseRequestOptionsFromJSON && api.prototype.toJSON)
  for (const part of document.querySelectorAll('[data-passkey]')) {
    const { passkey, options } = part.dataset
    const [form, button] = [part.querySelector('form'), part.querySelector('button')]
    part.hidden = false
    form.addEventListener('submit', async (event) => {
      if (options === '') return
      event.preventDefault()
      button.disabled = true
      try {
        const credential = await (passkey === 'create'
          ? navigator.credentials.create({ publicKey: api.parseCreationOptionsFromJSON(JSON.parse(options)) })
          : navigator.credentials.get({ publicKey: api.parseRequestOptionsFromJSON(JSON.parse(options)) }))
        form.elements.credential.value = JSON.stringify(credential.toJSON())
        form.submit()
      } catch {
        part.querySelector('[role=alert]').textContent = 'The browser gave no passkey. Try again.'
        button.disabled = false
      }
    })
  }
`
const SOURCE = `'sha256-${createHash('sha256').update(SCRIPT).digest('base64')}'`
const PART = '<div hidden data-passkey='

/**
 * Puts a form with a hidden input `credential` where the script finds it. After a refusal the form is sent without a
 * passkey, so that the page shows the reason.
 */
export const passkeyPart = (method: 'create' | 'get', answer: UserResult<Ceremony>, form: Html): Html => {
  const options = answer.ok ? JSON.stringify(answer.options) : ''
  return html`${[PART]}"${method}" data-options="${options}">${form}</div>`
}

/** The script of a page and its policy: only a page with such a part may run a script. */
export const scriptFor = (page: Html): Readonly<{ policy: string; script: Html }> =>
  page.some((one) => one.includes(PART))
    ? { policy: `; script-src ${SOURCE}`, script: [`<script>${SCRIPT}</script>`] }
    : { policy: '', script: [] }
