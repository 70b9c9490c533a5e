import { identity } from 'fp-ts/lib/function.js'
import { headerHtml, parameterHtml, responseHtml, statusWords } from './answers.ts'
import type { OpenApi, SecurityScheme } from './document.ts'
import { type Html, html, type Part, verbatim } from './html.ts'
import { placeOf } from './links.ts'
import { markdown } from './markdown.ts'
import { methodAndPath, operationHtml, type Place, placesOf } from './operations.ts'
import { schemaHtml } from './schemas.ts'

/** What of the page is no HTML: CSS, and SVG. */
export type Files = Readonly<{ style: string; icon: string }>

/** From where the page is. */
const DOCUMENT = 'openapi.json'

/**
 * The reference as one page of HTML, without any script.
 *
 * @param base what the addresses of servers are relative to
 */
export const pageOf = (document: OpenApi, base: string, files: Files): string =>
  pageHtml(document, base, files).html

const pageHtml = (document: OpenApi, base: string, files: Files): Html => {
  const { info, components = {} } = document
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
<a class="skip" href="#content">To the content</a>
<header>
<p class="title">${info.title} ${info.version}</p>
<p><a href="${DOCUMENT}">openapi.json</a></p>
</header>
<nav aria-label="Operations">
${groups.map(({ name, places }) => html`<p>${name}</p><ul>${places.map(navItem)}</ul>`)}
</nav>
<main id="content" tabindex="-1">
<h1>${info.title}: HTTP reference</h1>
${info.summary !== undefined && markdown(info.summary)}${info.description !== undefined && markdown(info.description)}
<p>For programs the same is told by <a href="${DOCUMENT}"><code>openapi.json</code></a> (OpenAPI 3.1).</p>
${componentsHtml('Tokens and keys', 'securitySchemes', components.securitySchemes, schemeHtml)}
${groups.map(
  ({ name, description, places }) => html`<section>
<h2>${name}</h2>
${description !== undefined && markdown(description)}
${places.map((place) => operationHtml(document, place))}</section>
`,
)}
${componentsHtml('Answers that many give', 'responses', components.responses, (response) => html`${markdown(response.description)}${responseHtml(document, response)}`, statusWords)}
${componentsHtml('Headers of answers', 'headers', components.headers, headerHtml)}
${componentsHtml('Parameters', 'parameters', components.parameters, parameterHtml)}
${componentsHtml('Schemas', 'schemas', components.schemas, schemaHtml)}
</main>
</body>
</html>
`
}

const navItem = (place: Place): Html => html`<li><a href="#${place.id}">${methodAndPath(place)}</a></li>`

type Group = Readonly<{ name: string; description?: string | undefined; places: ReadonlyArray<Place> }>

/** The operations under their first tag, in the order of the tags; then those without one. */
const groupsOf = (document: OpenApi, base: string): ReadonlyArray<Group> => {
  const places = placesOf(document, base)
  const tagOf = ({ operation }: Place) => operation.tags?.[0] ?? OTHERS
  const described = new Map((document.tags ?? []).map(({ name, description }) => [name, description]))
  const names = new Set([...described.keys(), ...places.map(tagOf)])
  return [...names]
    .map((name) => ({
      name,
      description: described.get(name),
      places: places.filter((place) => tagOf(place) === name),
    }))
    .filter(({ places: some }) => some.length > 0)
}

const OTHERS = 'Others'

const schemeHtml = ({ scheme, bearerFormat, description }: SecurityScheme): Html =>
  html`<p>${[scheme, bearerFormat].filter((word) => word !== undefined).join(', ')}</p>
${description !== undefined && markdown(description)}`

/** What stands on the page once, under its name, and is referred to. */
const componentsHtml = <T>(
  heading: string,
  kind: keyof NonNullable<OpenApi['components']>,
  components: Readonly<Record<string, T>> = {},
  write: (component: T) => Html,
  called: (name: string) => string = identity,
): Part => {
  const named = Object.entries(components)
  return (
    named.length > 0 &&
    html`<section>
<h2>${heading}</h2>
${named.map(([name, component]) => html`<h3 id="${placeOf(kind, name)}">${called(name)}</h3>${write(component)}`)}
</section>
`
  )
}
