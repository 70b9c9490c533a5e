import { STATUS_CODES } from 'node:http'
import {
  type Content,
  type Example,
  type Header,
  isRef,
  type MediaType,
  type OpenApi,
  type Parameter,
  type Ref,
  type Response,
  resolved,
} from './document.ts'
import { type Html, html, type Part } from './html.ts'
import { linkTo } from './links.ts'
import { markdown } from './markdown.ts'
import { schemaHtml } from './schemas.ts'

/** The answers of an operation, by their status. What many give when they fail is told in full elsewhere. */
export const answersHtml = (document: OpenApi, responses: Readonly<Record<string, Ref<Response>>>): Part =>
  Object.entries(responses).map(([status, response]) => {
    const found = resolved(document, response)
    const isDone = status.startsWith('2')
    const { $ref } = isRef(response) && !isDone ? response : {}
    return html`<section class="answer">
<h5>${statusHtml(status)} ${STATUS_CODES[status]}</h5>
${found !== undefined && markdown(found.description)}
${$ref === undefined ? found && withDetails(responseHtml(document, found), isDone) : html`<p>${linkTo($ref, WHAT_COMES)}</p>`}
</section>
`
  })

const WHAT_COMES = 'Body and headers'

const withDetails = (inside: Html, isOpen: boolean): Html =>
  html`<details${isOpen && html` open`}><summary>${WHAT_COMES}</summary>${inside}</details>`

/** What comes along with an answer. */
export const responseHtml = (document: OpenApi, { headers = {}, content }: Response): Html =>
  html`${contentHtml(document, content)}
<ul class="members">${Object.entries(headers).map(([name, header]) =>
    isRef(header)
      ? html`<li>${linkTo(header.$ref)}</li>`
      : html`<li>${named(name, header)}${headerHtml(header)}</li>`,
  )}</ul>`

const statusHtml = (status: string): Html =>
  html`<span class="status s${status.slice(0, 1)}">${status}</span>`

const named = (name: string, { required }: Header): Html =>
  html`<p><code class="name">${name}</code>${required && html` <span class="type">required</span>`}</p>`

/** A header of an answer, or of a request. */
export const headerHtml = ({ description, schema }: Header): Html =>
  html`${description !== undefined && markdown(description)}${schema && schemaHtml(schema)}`

/** The parameters of a request. */
export const parametersHtml = (parameters: ReadonlyArray<Ref<Parameter>>): Html =>
  html`<ul class="members">${parameters.map((parameter) =>
    isRef(parameter)
      ? html`<li>${linkTo(parameter.$ref)}</li>`
      : html`<li>${named(parameter.name, parameter)}${parameterHtml(parameter)}</li>`,
  )}</ul>`

export const parameterHtml = (parameter: Parameter): Html =>
  html`<p class="type">${parameter.in}</p>${headerHtml(parameter)}`

/** What a body may be, and what it looks like. */
export const contentHtml = (document: OpenApi, content: Content = {}): Part =>
  Object.entries(content).map(
    ([type, media]) => html`<p><code>${type}</code></p>
${media.schema && schemaHtml(media.schema)}${examplesHtml(document, media)}`,
  )

const examplesHtml = (document: OpenApi, { example, examples = {} }: MediaType): Part => [
  example !== undefined && exampleHtml('Example', { value: example }),
  Object.entries(examples).map(([name, ref]) => exampleHtml(name, resolved(document, ref) ?? {})),
]

const exampleHtml = (name: string, { summary, description, value }: Example): Html =>
  html`<p class="type">${summary ?? name}</p>${description !== undefined && markdown(description)}
<pre><code>${JSON.stringify(value, null, 2)}</code></pre>`

/** What a status is called, where it is one: answers of one status that are told apart have a number behind it. */
export const statusWords = (name: string): string => {
  const [status = name] = name.split('-')
  const words = STATUS_CODES[status]
  return words === undefined ? name : `${status} ${words}`
}
