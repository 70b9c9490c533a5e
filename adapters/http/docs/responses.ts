import type { OpenAPIV3_1 } from 'openapi-types'
import { type Html, html, type Part } from '../operation/html.ts'
import { STATUS_CODES } from '../server/node-http.ts'
import { markdown } from './markdown.ts'
import { isRef, linkTo, resolved } from './reference.ts'
import { schemaHtml } from './schemas.ts'

type Document = OpenAPIV3_1.Document

/** The responses of an operation by status. Shared error responses are links. */
export const responsesHtml = (document: Document, responses: OpenAPIV3_1.ResponsesObject): Part =>
  Object.entries(responses).map(([status, response]) => {
    const found = resolved(document, response)
    const isSuccess = status.startsWith('2')
    const { $ref } = isRef(response) && !isSuccess ? response : {}
    return html`<section class="answer">
<h5>${statusHtml(status)} ${STATUS_CODES[status]}</h5>
${found !== undefined && markdown(found.description)}
${$ref === undefined ? found && withDetails(responseHtml(document, found), isSuccess) : html`<p>${linkTo($ref, BODY_AND_HEADERS)}</p>`}
</section>
`
  })

const BODY_AND_HEADERS = 'Body and headers'

const withDetails = (inside: Html, isOpen: boolean): Html =>
  html`<details${isOpen && html` open`}><summary>${BODY_AND_HEADERS}</summary>${inside}</details>`

/** The body and headers of a response. */
export const responseHtml = (
  document: Document,
  { headers = {}, content }: OpenAPIV3_1.ResponseObject,
): Html =>
  html`${contentHtml(document, content)}
<ul class="members">${Object.entries(headers).map(([name, header]) =>
    isRef(header)
      ? html`<li>${linkTo(header.$ref)}</li>`
      : html`<li>${named(name, header)}${headerHtml(header)}</li>`,
  )}</ul>`

const statusHtml = (status: string): Html =>
  html`<span class="status s${status.slice(0, 1)}">${status}</span>`

const named = (name: string, { required }: OpenAPIV3_1.ParameterBaseObject): Html =>
  html`<p><code class="name">${name}</code>${required && html` <span class="type">required</span>`}</p>`

/** A header of a response or of a request. */
export const headerHtml = ({ description, schema }: OpenAPIV3_1.ParameterBaseObject): Html =>
  html`${description !== undefined && markdown(description)}${schema && schemaHtml(schema)}`

/** The parameters of a request. */
export const parametersHtml = (parameters: NonNullable<OpenAPIV3_1.OperationObject['parameters']>): Html =>
  html`<ul class="members">${parameters.map((parameter) =>
    isRef(parameter)
      ? html`<li>${linkTo(parameter.$ref)}</li>`
      : html`<li>${named(parameter.name, parameter)}${parameterHtml(parameter)}</li>`,
  )}</ul>`

export const parameterHtml = (parameter: OpenAPIV3_1.ParameterObject): Html =>
  html`<p class="type">${parameter.in}</p>${headerHtml(parameter)}`

/** The schema and examples of a body, by media type. */
export const contentHtml = (
  document: Document,
  content: Record<string, OpenAPIV3_1.MediaTypeObject> = {},
): Part =>
  Object.entries(content).map(
    ([type, media]) => html`<p><code>${type}</code></p>
${media.schema && schemaHtml(media.schema)}${examplesHtml(document, media)}`,
  )

const examplesHtml = (document: Document, { example, examples = {} }: OpenAPIV3_1.MediaTypeObject): Part => [
  example !== undefined && exampleHtml('Example', { value: example }),
  Object.entries(examples).map(([name, ref]) => exampleHtml(name, resolved(document, ref) ?? {})),
]

const exampleHtml = (name: string, { summary, description, value }: OpenAPIV3_1.ExampleObject): Html =>
  html`<p class="type">${summary ?? name}</p>${description !== undefined && markdown(description)}
<pre><code>${typeof value === 'string' ? value : JSON.stringify(value, null, 2)}</code></pre>`

/** The title of a shared response. Its name is a status, and a number if there are several with this status. */
export const statusTitle = (name: string): string => {
  const [status = name] = name.split('-')
  const words = STATUS_CODES[status]
  return words === undefined ? name : `${status} ${words}`
}
