/**
 * The only script of the pages. It shows typed passwords on request. It shows the button of a passkey, asks the browser for one, and posts the
 * answer with the form. At the load of a sign-in, it lets the browser offer passkeys in the field of the e-mail; the button ends that, because
 * two requests at once fail. Challenges end after five minutes, so an untouched page that becomes visible again after four loads again.
 */
export const PAGES_SCRIPT = `
const { show, hide, reloads } = document.body.dataset
if (show)
  for (const input of document.querySelectorAll('input[type=password]')) {
    const button = document.createElement('button')
    button.type = 'button'
    button.className = 'show'
    const set = (type) => {
      input.type = type
      button.textContent = type === 'password' ? show : hide
      button.setAttribute('aria-pressed', String(type !== 'password'))
    }
    button.setAttribute('aria-controls', input.id)
    button.addEventListener('click', () => set(input.type === 'password' ? 'text' : 'password'))
    input.form.addEventListener('submit', () => set('password'))
    set('password')
    input.after(button)
  }
const api = window.PublicKeyCredential
let offering
if (api?.parseCreationOptionsFromJSON && api.parseRequestOptionsFromJSON && api.prototype.toJSON)
  for (const form of document.querySelectorAll('form[data-passkey]')) {
    const button = form.querySelector('button')
    const message = form.querySelector('[role=alert]')
    const ask = async (more) => {
      const options = JSON.parse(form.dataset.options)
      const credential = await (form.dataset.passkey === 'create'
        ? navigator.credentials.create({ publicKey: api.parseCreationOptionsFromJSON(options) })
        : navigator.credentials.get({ publicKey: api.parseRequestOptionsFromJSON(options), ...more }))
      form.querySelector('[name=credential]').value = JSON.stringify(credential.toJSON())
      form.submit()
    }
    button.hidden = false
    addEventListener('pageshow', () => (button.disabled = false))
    form.addEventListener('submit', async (event) => {
      event.preventDefault()
      button.disabled = true
      message.textContent = ''
      offering?.abort()
      try {
        await ask()
      } catch {
        message.textContent = form.dataset.failed
        button.disabled = false
      }
    })
    if (form.hasAttribute('data-offered'))
      (async () => {
        try {
          if (!(await api.isConditionalMediationAvailable?.())) return
          offering = new AbortController()
          await ask({ mediation: 'conditional', signal: offering.signal })
        } catch {}
      })()
  }
if (reloads !== undefined) {
  const began = Date.now()
  let isTouched = false
  addEventListener('input', () => (isTouched = true))
  addEventListener('visibilitychange', () => {
    if (!document.hidden && !isTouched && Date.now() - began > 240000) location.reload()
  })
}
`

/** The script of a page whose only form is sent at once. */
export const POST_SCRIPT = 'document.forms[0].submit()'
