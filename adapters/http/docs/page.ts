import type { OpenAPIV3_1 } from 'openapi-types'
import { type Html, html, type Part, verbatim } from '../operation/html.ts'
import { markdown } from './markdown.ts'
import { methodAndPath, operationHtml } from './operation-html.ts'
import { type DocumentedOperation, operationsOf } from './operations.ts'
import { anchorOf, resolved } from './reference.ts'
import { headerHtml, parameterHtml, responseHtml, statusTitle } from './responses.ts'
import { schemaHtml } from './schemas.ts'

/** The CSS and the SVG icon of the page. */
export type Files = Readonly<{ style: string; icon: string }>

/** Relative to the page. */
const DOCUMENT = 'openapi.json'

/**
 * The reference as one HTML page without scripts.
 *
 * @param base the URL to which the URLs of servers are relative
 */
export const pageOf = (document: OpenAPIV3_1.Document, base: string, files: Files): string =>
  pageHtml(document, base, files).html

const pageHtml = (document: OpenAPIV3_1.Document, base: string, files: Files): Html => {
  const { info, components = {} } = document
  const { securitySchemes, responses, headers, parameters, schemas } = components
  const groups = groupsOf(document, base)
  return html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<style>${verbatim(files.style)}</style>
<link rel="icon" href="data:image/svg+xml,${encodeURIComponent(files.icon)}">
<meta name="viewport" content="width=device-width">
<meta name="color-scheme" content="light dark">
<title>${info.title}: HTTP reference</title>
</head>
<body>
<a class="skip" href="#content">Skip to content</a>
<header>
<p class="title">${info.title} ${info.version}</p>
<p><a href="${DOCUMENT}">openapi.json</a></p>
</header>
<nav aria-label="Operations">
${groups.map(({ name, operations }) => html`<p>${name}</p><ul>${operations.map(navItem)}</ul>`)}
</nav>
<main id="content" tabindex="-1">
<h1>${info.title}: HTTP reference</h1>
${info.summary !== undefined && markdown(info.summary)}${info.description !== undefined && markdown(info.description)}
<p>For programs: <a href="${DOCUMENT}"><code>openapi.json</code></a> (OpenAPI 3.1).</p>
${section('Tokens and keys', entriesHtml(document, { kind: 'securitySchemes', components: securitySchemes, toHtml: schemeHtml }))}
${groups.map(
  ({ name, description, operations }) => html`<section>
<h2>${name}</h2>
${description !== undefined && markdown(description)}
${operations.map((operation) => operationHtml(document, operation))}</section>
`,
)}
${section('Shared responses', entriesHtml(document, { kind: 'responses', components: responses, toHtml: (response) => html`${markdown(response.description)}${responseHtml(document, response)}`, title: statusTitle }))}
${section('Response headers', entriesHtml(document, { kind: 'headers', components: headers, toHtml: headerHtml }))}
${section('Parameters', entriesHtml(document, { kind: 'parameters', components: parameters, toHtml: parameterHtml }))}
${section('Schemas', entriesHtml(document, { kind: 'schemas', components: schemas, toHtml: schemaHtml }))}
</main>
</body>
</html>
`
}

const navItem = (operation: DocumentedOperation): Html =>
  html`<li><a href="#${operation.id}">${methodAndPath(operation)}</a></li>`

type Group = Readonly<{
  name: string
  description?: string | undefined
  operations: ReadonlyArray<DocumentedOperation>
}>

/** The operations by their first tag, in the order of the tags, and then those without a tag. */
const groupsOf = (document: OpenAPIV3_1.Document, base: string): ReadonlyArray<Group> => {
  const all = operationsOf(document, base)
  const tagOf = ({ operation }: DocumentedOperation) => operation.tags?.[0] ?? OTHERS
  const descriptions = new Map((document.tags ?? []).map(({ name, description }) => [name, description]))
  const names = new Set([...descriptions.keys(), ...all.map(tagOf)])
  return [...names]
    .map((name) => ({
      name,
      description: descriptions.get(name),
      operations: all.filter((operation) => tagOf(operation) === name),
    }))
    .filter(({ operations }) => operations.length > 0)
}

const OTHERS = 'Other operations'

const schemeHtml = (scheme: OpenAPIV3_1.SecuritySchemeObject): Html => {
  const words = scheme.type === 'http' ? [scheme.scheme, scheme.bearerFormat] : [scheme.type]
  return html`<p>${words.filter((word) => word !== undefined).join(', ')}</p>
${scheme.description !== undefined && markdown(scheme.description)}`
}

const section = (heading: string, entries: ReadonlyArray<Html>): Part =>
  entries.length > 0 &&
  html`<section>
<h2>${heading}</h2>
${entries}
</section>
`

/** Components that the page shows once and links to by name. */
const entriesHtml = <T extends object>(
  document: OpenAPIV3_1.Document,
  {
    kind,
    components = {},
    toHtml,
    title = (name) => name,
  }: Readonly<{
    kind: keyof OpenAPIV3_1.ComponentsObject
    components: Record<string, T | OpenAPIV3_1.ReferenceObject> | undefined
    toHtml: (component: T) => Html
    title?: (name: string) => string
  }>,
): ReadonlyArray<Html> =>
  Object.entries(components).flatMap(([name, reference]) => {
    const component = resolved(document, reference)
    return component === undefined
      ? []
      : [html`<h3 id="${anchorOf(kind, name)}">${title(name)}</h3>${toHtml(component)}`]
  })
