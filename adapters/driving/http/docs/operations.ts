import { answersHtml, contentHtml, parametersHtml } from './answers.ts'
import { curlLine } from './curl.ts'
import { METHODS, type OpenApi, type Operation, resolved, type Security } from './document.ts'
import { type Html, html, type Part } from './html.ts'
import { linkTo, placeOf } from './links.ts'
import { inline, markdown } from './markdown.ts'

/** One method of one path. */
export type Place = Readonly<{
  /** Where it stands on the page. */
  id: string
  /** In capitals. */
  method: string
  path: string
  /** Where it is asked for. */
  url: string
  operation: Operation
}>

/**
 * Every operation of a document, in its order. What is common to a path is part of each.
 *
 * @param base what the addresses of servers are relative to
 */
export const placesOf = (document: OpenApi, base: string): ReadonlyArray<Place> =>
  Object.entries(document.paths ?? {}).flatMap(([path, item]) => {
    const [server] = item.servers ?? document.servers ?? []
    const url = new URL(server?.url ?? '/', base).href.replace(/\/$/, '') + path
    return METHODS.flatMap((method) => {
      const operation = item[method]
      if (operation === undefined) return []
      const parameters = [...(item.parameters ?? []), ...(operation.parameters ?? [])]
      const id = placeOf(method, path.replaceAll(/[^A-Za-z0-9]+/g, '-'))
      return [{ id, method: method.toUpperCase(), path, url, operation: { ...operation, parameters } }]
    })
  })

/**
 * One operation, closed until it is wanted. The link to it leads inside, so that a browser opens it.
 */
export const operationHtml = (document: OpenApi, place: Place): Html => {
  const { id, method, url, operation } = place
  const { summary, description, security, parameters = [], responses = {} } = operation
  return html`<details class="operation">
<summary><h3>${methodAndPath(place)}</h3> <span class="about">${summary !== undefined && inline(summary)}</span></summary>
<div id="${id}" class="inside">
${description !== undefined && markdown(description)}
<p>${credentialWords(security ?? document.security ?? [])}</p>
${parameters.length > 0 && html`<h4>Parameters</h4>${parametersHtml(parameters)}`}
${bodyHtml(document, operation)}
<h4>With curl</h4>
<pre class="curl"><code>${curlLine(document, method, url, operation)}</code></pre>
<h4>Answers</h4>
${answersHtml(document, responses)}
</div>
</details>
`
}

export const methodAndPath = ({ method, path }: Place): Html =>
  html`<span class="method ${method.toLowerCase()}">${method}</span> <code class="path">${breakable(path)}</code>`

/** A path may go on in the next line behind each slash. */
const breakable = (path: string): Part => path.split(/(?<=.\/)/).map((part) => html`${part}<wbr>`)

/** What whoever asks has to have: one of several, where there are several. */
const credentialWords = (security: ReadonlyArray<Security>): Part => {
  const ways = security.flatMap((one) => Object.entries(one))
  if (ways.length === 0) return 'Asks for no token.'
  return [
    'Asks for ',
    ways.map(([scheme, scopes], index) => [
      index > 0 && ' or ',
      linkTo(`#/components/securitySchemes/${scheme}`),
      scopes.length > 0 && html` with the scope <code>${scopes.join(' ')}</code>`,
    ]),
    '.',
  ]
}

const bodyHtml = (document: OpenApi, { requestBody }: Operation): Part => {
  const body = requestBody && resolved(document, requestBody)
  return (
    body !== undefined &&
    html`<h4>Body</h4>${body.description !== undefined && markdown(body.description)}${contentHtml(document, body.content)}`
  )
}
