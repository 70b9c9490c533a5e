import type { OpenAPIV3_1 } from 'openapi-types'
import { type Html, html, type Part } from '../operation/html.ts'
import { curlCommand } from './curl.ts'
import { inline, markdown } from './markdown.ts'
import type { DocumentedOperation } from './operations.ts'
import { linkTo, resolved } from './reference.ts'
import { contentHtml, parametersHtml, responsesHtml } from './responses.ts'

/** One operation, collapsed. Its anchor is inside the `details` element, so that browsers open it for a link. */
export const operationHtml = (document: OpenAPIV3_1.Document, documented: DocumentedOperation): Html => {
  const { id, operation } = documented
  const { summary, description, security, parameters = [], responses = {} } = operation
  return html`<details class="operation">
<summary><h3>${methodAndPath(documented)}</h3> <span class="about">${summary !== undefined && inline(summary)}</span></summary>
<div id="${id}" class="inside">
${description !== undefined && markdown(description)}
<p>${credentialsText(security ?? document.security ?? [])}</p>
${parameters.length > 0 && html`<h4>Parameters</h4>${parametersHtml(parameters)}`}
${bodyHtml(document, operation)}
<h4>With curl</h4>
<pre class="curl"><code>${curlCommand(document, documented)}</code></pre>
<h4>Responses</h4>
${responsesHtml(document, responses)}
</div>
</details>
`
}

export const methodAndPath = ({ method, path }: DocumentedOperation): Html =>
  html`<span class="method ${method.toLowerCase()}">${method}</span> <code class="path">${breakable(path)}</code>`

/** A path with a possible line break after each slash. */
const breakable = (path: string): Part => path.split(/(?<=.\/)/).map((part) => html`${part}<wbr>`)

/** The credentials that an operation requires: one of several alternatives. */
const credentialsText = (security: ReadonlyArray<OpenAPIV3_1.SecurityRequirementObject>): Part => {
  const alternatives = security.flatMap((one) => Object.entries(one))
  if (alternatives.length === 0) return 'Requires no token.'
  return [
    'Requires ',
    alternatives.map(([scheme, scopes], index) => [
      index > 0 && ' or ',
      linkTo(`#/components/securitySchemes/${scheme}`),
      scopes.length > 0 && html` with the scope <code>${scopes.join(' ')}</code>`,
    ]),
    '.',
  ]
}

const bodyHtml = (document: OpenAPIV3_1.Document, { requestBody }: OpenAPIV3_1.OperationObject): Part => {
  const body = requestBody && resolved(document, requestBody)
  return (
    body !== undefined &&
    html`<h4>Body</h4>${body.description !== undefined && markdown(body.description)}${contentHtml(document, body.content)}`
  )
}
