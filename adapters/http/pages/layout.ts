import { readFileSync } from 'node:fs'
import { fileUrl } from '../../files.ts'
import { contentPolicy, type Html, html, htmlPage, verbatim } from '../operation/html.ts'
import type { HttpResponse } from '../operation/response.ts'
import { type FieldError, summaryHtml } from './fields.ts'

/** A page: its heading and what follows. */
export type Page = Readonly<{
  heading: string
  /** Before the heading in the title of the window. */
  titlePrefix?: string
  content: Html
}>

/** Returns the response with a page, under the product name. */
export type ToResponse = (page: Page) => HttpResponse

/** @param name of the product */
export const layout = (name: string): ToResponse => {
  const style = readFileSync(fileUrl('http/pages/style.css'), 'utf8')
  const policy = contentPolicy(style, "'self'")
  return (page) => htmlPage(pageHtml(name, style, page).html, policy)
}

/** The empty icon keeps browsers from requesting /favicon.ico. */
const pageHtml = (name: string, style: string, { heading, titlePrefix = '', content }: Page): Html =>
  html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<title>${titlePrefix}${heading} – ${name}</title>
<style>${verbatim(style)}</style>
<link rel="icon" href="data:,">
<meta name="viewport" content="width=device-width">
<meta name="color-scheme" content="light dark">
<meta name="robots" content="noindex">
</head>
<body>
<header><p>${name}</p></header>
<main>
<h1>${heading}</h1>
${content}
</main>
</body>
</html>
`

/** A page with the errors of its form, or without any. */
export const pageOf = (heading: string, errors: ReadonlyArray<FieldError>, content: Html): Page => ({
  heading,
  ...(errors.length > 0 && { titlePrefix: 'Error: ' }),
  content: html`${summaryHtml(errors)}${content}`,
})
