import { hash } from 'node:crypto'
import type { HttpResponse } from './response.ts'

/** Text that is already HTML. */
export type Html = Readonly<{ html: string }>

/** A value that a template accepts. */
export type Part = Html | string | number | false | undefined | ReadonlyArray<Part>

/** A template of HTML. It escapes every value that is not HTML already. */
export const html = (texts: TemplateStringsArray, ...parts: ReadonlyArray<Part>): Html => ({
  html: texts.map((text, index) => `${text}${toText(parts[index])}`).join(''),
})

/** Trusted text, for elements such as `style` whose content is not HTML. */
export const verbatim = (text: string): Html => ({ html: text })

const toText = (part: Part): string => {
  if (part === undefined || part === false) return ''
  if (isList(part)) return part.map(toText).join('')
  return typeof part === 'object' ? part.html : escaped(String(part))
}

const isList = (part: Part): part is ReadonlyArray<Part> => Array.isArray(part)

/** Safe in the text of an element and in a quoted attribute. */
const escaped = (text: string): string => text.replace(/[&<>"']/g, (character) => ENTITIES[character] ?? '')

const ENTITIES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
}

/** Renders the head of a page for people. The empty icon keeps browsers from requesting /favicon.ico. */
export const headHtml = (title: string, style: string): Html => html`<head>
<meta charset="utf-8">
<title>${title}</title>
<style>${verbatim(style)}</style>
<link rel="icon" href="data:,">
<meta name="viewport" content="width=device-width">
<meta name="color-scheme" content="light dark">
<meta name="robots" content="noindex">
</head>`

/** The response with an HTML page that a browser shows, without other resources. */
export const htmlPage = (page: string | Uint8Array, policy: string): HttpResponse => ({
  status: 200,
  headers: { ...PAGE_HEADERS, 'Content-Security-Policy': policy },
  content: { type: 'text/html; charset=utf-8', data: page },
})

/** Headers of every page: links send no referrer, and the page shares no browsing context with other origins. */
export const PAGE_HEADERS = { 'Referrer-Policy': 'no-referrer', 'Cross-Origin-Opener-Policy': 'same-origin' }

/**
 * Permits only the embedded style, icon and script, if there is one: no other resources.
 *
 * @param formAction where forms may go. Undefined: anywhere, because Chromium applies it also to the redirects of the receiver.
 */
export const contentPolicy = (
  style: string,
  formAction: "'none'" | "'self'" | undefined,
  script?: string,
): string =>
  [
    "default-src 'none'",
    ...(script === undefined ? [] : [`script-src ${sourceOf(script)}`]),
    `style-src ${sourceOf(style)}`,
    'img-src data:',
    "base-uri 'none'",
    ...(formAction === undefined ? [] : [`form-action ${formAction}`]),
    "frame-ancestors 'none'",
  ].join('; ')

const sourceOf = (text: string): string => `'sha256-${hash('sha256', text, 'base64')}'`
