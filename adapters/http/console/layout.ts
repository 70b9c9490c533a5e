import { BASE_STYLE } from '../operation/base-style.ts'
import { contentPolicy, type Html, headHtml, html, type Part } from '../operation/html.ts'
import type { HttpResponse } from '../operation/response.ts'
import { CONSOLE_STYLE } from './style.ts'

/** The screens, in the order of the navigation. */
export const SCREENS = {
  today: 'Today',
  people: 'People',
  events: 'Events',
  applications: 'Applications',
} as const
export type Screen = keyof typeof SCREENS

/** A page of the console. */
export type Page = Readonly<{
  heading: string
  content: Html
  /** Undefined for a page outside of the navigation, and for one that only says why a request was refused. */
  screen?: Screen | undefined
  status?: number
  /** Of a page that loads itself again: after so many seconds, from this place. */
  refresh?: Readonly<{ seconds: number; href: string }> | undefined
}>

export type ToResponse = (page: Page) => HttpResponse

/**
 * @param about undefined for the pages of refusals. Any user of the machine can read them, so they name neither the store nor the operator
 * @param about.store the store, as messages show it
 * @param about.operator who changes things, as the log names it; undefined if the console changes nothing
 */
export const consoleLayout = (
  about: Readonly<{ store: string; isWritable: boolean; operator: string | undefined }> | undefined,
): ToResponse => {
  const style = BASE_STYLE + CONSOLE_STYLE
  const headers = { ...CONSOLE_HEADERS, 'Content-Security-Policy': contentPolicy(style, "'self'") }
  return ({ status = 200, refresh, ...page }) => ({
    status,
    headers: {
      ...headers,
      ...(refresh === undefined ? {} : { Refresh: `${refresh.seconds}; url=${refresh.href}` }),
    },
    content: { type: 'text/html; charset=utf-8', data: pageHtml(style, about, page).html },
  })
}

/** With `no-referrer`, browsers would send `Origin: null` with each form. The referrer stays within the console. */
export const CONSOLE_HEADERS = {
  'Referrer-Policy': 'same-origin',
  'Cross-Origin-Opener-Policy': 'same-origin',
  'Cross-Origin-Resource-Policy': 'same-origin',
}

const pageHtml = (
  style: string,
  about: Parameters<typeof consoleLayout>[0],
  { heading, content, screen }: Page,
): Html =>
  html`<!doctype html>
<html lang="en">
${headHtml(`${heading} – Portcullis console`, style)}
<body>
<a class="skip" href="#main">To the content</a>
<header>
<p class="title">Portcullis console</p>
${about !== undefined && aboutHtml(about)}</header>
${about !== undefined && navigationHtml(screen)}<main id="main" tabindex="-1">
<h1>${heading}</h1>
${content}
</main>
</body>
</html>
`

const aboutHtml = ({ store, isWritable, operator }: NonNullable<Parameters<typeof consoleLayout>[0]>): Html =>
  html`<p>${store}</p>
<p>${isWritable ? html`<strong>Can change things</strong>, as ${operator === undefined ? 'an operator without a name' : html`operator <bdi>${operator}</bdi>`}` : 'Reads only'}. Times are UTC.</p>
`

const navigationHtml = (screen: Screen | undefined): Html =>
  html`<nav aria-label="Screens"><ul>${Object.entries(SCREENS).map(
    ([path, name]) =>
      html`<li><a href="${path}"${path === screen && html` aria-current="page"`}>${name}</a></li>`,
  )}</ul></nav>
`

/** A cell of a table: its content, or its content as the head of the row. */
type Table = Readonly<{
  /** What the table lists. Screen readers name it when it scrolls. */
  label: string
  head: ReadonlyArray<string>
  rows: ReadonlyArray<ReadonlyArray<Part>>
  /** What it says without rows. */
  none?: string
}>

/** Renders a table. On a narrow screen it scrolls by itself, also by keyboard. */
export const tableHtml = ({ label, head, rows, none = 'None.' }: Table): Html =>
  rows.length === 0
    ? html`<p>${none}</p>
`
    : html`<div class="scroll" role="region" aria-label="${label}" tabindex="0"><table>
<thead><tr>${head.map((name) => (name === '' ? html`<td></td>` : html`<th scope="col">${name}</th>`))}</tr></thead>
<tbody>${rows.map((cells) => html`<tr>${cells.map((cell) => html`<td>${cell}</td>`)}</tr>`)}</tbody>
</table></div>
`

type Facts = ReadonlyArray<readonly [name: string, value: Part]>

/** Renders facts: names and values. A value that is undefined is left out. */
export const factsHtml = (facts: Facts): Html => html`<dl>${factItems(facts)}</dl>
`

/** The same, each on a line of its own. */
export const wideFactsHtml = (facts: Facts): Html => html`<dl class="wide">${factItems(facts)}</dl>
`

const factItems = (facts: Facts): Part =>
  facts.map(([name, value]) => value !== undefined && html`<div><dt>${name}</dt><dd>${value}</dd></div>`)

/** Renders what someone else has chosen: a name, an e-mail, a label. Its direction does not change that of the text around it. */
export const storedHtml = (text: string): Html => html`<bdi>${text}</bdi>`

/** Renders a link to the page of a user, or to the events of an application, under its name if it has one. */
export const someoneHtml = (kind: 'user' | 'application', id: string, name: string | undefined): Html =>
  html`<a href="${kind === 'user' ? hrefTo('person', { id }) : hrefTo('events', { application: id })}">${storedHtml(name ?? `${kind} ${id}`)}</a>`

/** Returns a relative URL. Parameters without a value are left out. */
export const hrefTo = (
  path: string,
  parameters: Readonly<Record<string, string | number | undefined>> = {},
): string => {
  const query = new URLSearchParams(
    Object.entries(parameters).flatMap(
      ([name, value]): Array<[string, string]> =>
        value === undefined || value === '' ? [] : [[name, String(value)]],
    ),
  ).toString()
  return query === '' ? path : `${path}?${query}`
}

/** A field of a form. */
export type FormField = Readonly<{
  name: string
  label: string
  value: string
  /** The choices of a list. The first one is none. */
  choices?: ReadonlyArray<string>
  hint?: string
  error?: string | undefined
}>

/** Renders a field with its label, its hint and its error. */
export const fieldHtml = ({ name, label, value, choices, hint, error }: FormField): Html => {
  const describedBy = [hint !== undefined && `${name}-hint`, error !== undefined && `${name}-error`]
    .filter((id) => id !== false)
    .join(' ')
  const attributes = html` id="${name}" name="${name}"${describedBy !== '' && html` aria-describedby="${describedBy}"`}${error !== undefined && html` aria-invalid="true"`}`
  return html`<div class="field">
<label for="${name}">${label}</label>
${
  choices === undefined
    ? html`<input${attributes} value="${value}" autocapitalize="none" autocomplete="off" spellcheck="false">`
    : html`<select${attributes}><option value="">any</option>${choices.map(
        (choice) => html`<option${choice === value && html` selected`}>${choice}</option>`,
      )}</select>`
}
${hint !== undefined && html`<p class="hint" id="${name}-hint">${hint}</p>`}${error !== undefined && html`<p class="error" id="${name}-error">${error}</p>`}</div>
`
}
