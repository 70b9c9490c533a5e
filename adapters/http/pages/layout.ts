import { type Branding, NO_BRANDING } from '../../texts/branding.ts'
import type { Language } from '../../texts/languages.ts'
import { BASE_STYLE } from '../operation/base-style.ts'
import { contentPolicy, type Html, headHtml, html, htmlPage, type Part, verbatim } from '../operation/html.ts'
import type { HttpResponse } from '../operation/response.ts'
import { type FieldError, summaryHtml } from './fields.ts'
import { PAGES_SCRIPT, POST_SCRIPT } from './script.ts'
import { PAGES_STYLE } from './style.ts'

/** A page: its heading and what follows. */
export type Page = Readonly<{
  heading: string
  /** Whether the title of the window says that something is wrong. */
  isError?: boolean
  content: Html
  /** It has a button for a passkey, which needs the script. */
  hasPasskeyButton?: boolean
  /** It has fields for passwords, which the script can show. */
  hasPasswords?: boolean
  /** A link to the page has no token, so its forms may say where they come from. */
  saysOrigin?: boolean
  /** Its form goes to a client of the OpenID provider, at once. */
  postsElsewhere?: boolean
  /** The page is the answer to a GET, so it can load again. */
  canReload?: boolean
  /** Links to the page in other languages. */
  languages?: ReadonlyArray<LanguageLink>
}>

export type LanguageLink = Readonly<{ name: string; label: string; href: string }>

/** Returns the response with a page, under the product name. */
export type ToResponse = (page: Page) => HttpResponse

/** @param name of the product */
export const layout = (
  name: string,
  { style: own, logo }: Branding = NO_BRANDING,
): ((language: Language) => ToResponse) => {
  const style = BASE_STYLE + PAGES_STYLE + own
  const header = logo === undefined ? name : html`<img class="logo" src="${logo}" alt="${name}">`
  const policy = contentPolicy(style, "'self'")
  const policyOfScript = contentPolicy(style, "'self'", PAGES_SCRIPT)
  const policyOfPost = contentPolicy(style, undefined, POST_SCRIPT)
  return (language) => (page) => {
    const {
      hasPasskeyButton = false,
      hasPasswords = false,
      saysOrigin = false,
      postsElsewhere = false,
    } = page
    const ownScript = hasPasskeyButton || hasPasswords ? PAGES_SCRIPT : undefined
    const script = postsElsewhere ? POST_SCRIPT : ownScript
    const ownPolicy = script === undefined ? policy : policyOfScript
    const response = htmlPage(
      pageHtml(page, { name, header, style, language, script }).html,
      postsElsewhere ? policyOfPost : ownPolicy,
    )
    const headers = {
      ...response.headers,
      ...(saysOrigin && { 'Referrer-Policy': 'same-origin' }),
      // A client may refuse a form without its origin.
      ...(postsElsewhere && { 'Referrer-Policy': 'strict-origin' }),
      ...(hasPasskeyButton && { 'Permissions-Policy': PASSKEYS_HERE }),
      'Content-Language': language.name,
      Vary: 'Accept-Language, Cookie',
    }
    return { ...response, headers }
  }
}

/** Frames of other origins use no passkeys of this one. */
const PASSKEYS_HERE = 'publickey-credentials-get=(self), publickey-credentials-create=(self)'

const pageHtml = (
  { heading, isError, content, hasPasswords, canReload, languages = [] }: Page,
  { name, header, style, language: { name: tag, say }, script }: Frame,
): Html => {
  const title = isError === true ? say('page.error', { text: heading }) : heading
  return html`<!doctype html>
<html lang="${tag}">
${headHtml(`${title} – ${name}`, style)}
<body${[
    hasPasswords && html` data-show="${say('page.show')}" data-hide="${say('page.hide')}"`,
    script !== undefined && canReload && html` data-reloads`,
  ]}>
<header><p>${header}</p></header>
<main>
<h1>${heading}</h1>
${content}
</main>${languagesHtml(say('page.languages'), languages)}${script !== undefined && html`<script>${verbatim(script)}</script>`}
</body>
</html>
`
}

/** What a page has around its content. */
type Frame = Readonly<{
  name: string
  header: Part
  style: string
  language: Language
  script: string | undefined
}>

const languagesHtml = (label: string, languages: ReadonlyArray<LanguageLink>): Part =>
  languages.length > 0 &&
  html`
<footer><nav aria-label="${label}">${languages.map(
    ({ name, label: text, href }) => html`<a href="${href}" lang="${name}" hreflang="${name}">${text}</a> `,
  )}</nav></footer>`

/** A page with the errors of its form, or without any. */
export const pageOf = ({ language: { say }, errors, content, ...page }: Shown): Page => ({
  ...page,
  ...(errors.length > 0 && { isError: true }),
  content: html`${summaryHtml(say, errors)}${content}`,
})

type Shown = Omit<Page, 'isError'> & Readonly<{ language: Language; errors: ReadonlyArray<FieldError> }>
