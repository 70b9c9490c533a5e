import { BASE_STYLE } from '../operation/base-style.ts'
import { contentPolicy, type Html, headHtml, html, htmlPage, verbatim } from '../operation/html.ts'
import type { HttpResponse } from '../operation/response.ts'
import { type FieldError, summaryHtml } from './fields.ts'
import { PASSKEY_SCRIPT } from './passkey-form.ts'
import { PAGES_STYLE } from './style.ts'

/** A page: its heading and what follows. */
export type Page = Readonly<{
  heading: string
  /** Before the heading in the title of the window. */
  titlePrefix?: string
  content: Html
  /** It has a button for a passkey, which needs the script. */
  hasPasskeyButton?: boolean
}>

/** Returns the response with a page, under the product name. */
export type ToResponse = (page: Page) => HttpResponse

/** @param name of the product */
export const layout = (name: string): ToResponse => {
  const style = BASE_STYLE + PAGES_STYLE
  const policy = contentPolicy(style, "'self'")
  const policyOfScript = contentPolicy(style, "'self'", PASSKEY_SCRIPT)
  return (page) => {
    const text = pageHtml(name, style, page).html
    if (page.hasPasskeyButton !== true) return htmlPage(text, policy)
    const response = htmlPage(text, policyOfScript)
    return { ...response, headers: { ...response.headers, 'Permissions-Policy': PASSKEYS_HERE } }
  }
}

/** Frames of other origins use no passkeys of this one. */
const PASSKEYS_HERE = 'publickey-credentials-get=(self), publickey-credentials-create=(self)'

const pageHtml = (
  name: string,
  style: string,
  { heading, titlePrefix = '', content, hasPasskeyButton = false }: Page,
): Html =>
  html`<!doctype html>
<html lang="en">
${headHtml(`${titlePrefix}${heading} – ${name}`, style)}
<body>
<header><p>${name}</p></header>
<main>
<h1>${heading}</h1>
${content}
</main>${hasPasskeyButton && html`<script>${verbatim(PASSKEY_SCRIPT)}</script>`}
</body>
</html>
`

/** A page with the errors of its form, or without any. */
export const pageOf = ({ errors, content, ...page }: Shown): Page => ({
  ...page,
  ...(errors.length > 0 && { titlePrefix: 'Error: ' }),
  content: html`${summaryHtml(errors)}${content}`,
})

type Shown = Omit<Page, 'titlePrefix'> & Readonly<{ errors: ReadonlyArray<FieldError> }>
