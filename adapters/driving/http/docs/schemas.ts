import { WELL_FORMED } from '../operation/fields.ts'
import type { Schema } from './document.ts'
import { type Html, html, type Part } from './html.ts'
import { linkTo } from './links.ts'
import { markdown } from './markdown.ts'

/** What a value is: in a few words, and then whatever it holds. */
export const schemaHtml = (schema: Schema): Html =>
  html`${says(schema) && html`<p class="type">${wordsFor(schema)}</p>`}${description(schema)}${insideOf(schema)}`

const description = ({ description: text }: Schema): Part => text !== undefined && markdown(text)

/** Whether there is anything to say of it besides the choices that it is made of. */
const says = (schema: Schema): boolean => {
  const keywords = Object.keys(schema).filter((keyword) => keyword !== 'description')
  return keywords.length === 0 || keywords.some((keyword) => !['allOf', 'anyOf', 'oneOf'].includes(keyword))
}

/** The members of an object, the items of an array and the choices there are, each a list of its own. */
const insideOf = (schema: Schema): ReadonlyArray<Part> => [
  membersOf(schema),
  typeof schema.additionalProperties === 'object' &&
    html`<p>Any other member:</p>${schemaHtml(schema.additionalProperties)}`,
  schema.items !== undefined && holdsMore(schema.items) && insideWithDescription(schema.items),
  choices('All of:', schema.allOf),
  choices('One or more of:', schema.anyOf),
  choices('One of:', schema.oneOf),
]

const insideWithDescription = (schema: Schema): Html => html`${description(schema)}${insideOf(schema)}`

const holdsMore = ({ description: text, properties, items, allOf, anyOf, oneOf }: Schema): boolean =>
  [text, properties, items, allOf, anyOf, oneOf].some((one) => one !== undefined)

const membersOf = ({ properties = {}, required = [] }: Schema): Part => {
  const members = Object.entries(properties)
  return (
    members.length > 0 &&
    html`<ul class="members">${members.map(([name, schema]) => memberHtml(name, schema, required.includes(name)))}</ul>`
  )
}

/** One line for each: name, what it is, and what it means; then whatever it holds. */
const memberHtml = (name: string, schema: Schema, isRequired: boolean): Html => html`<li>
<p><code class="name">${name}</code> <span class="type">${wordsFor(schema)}${isRequired ? ', required' : ''}</span></p>
${description(schema)}${insideOf(schema)}</li>`

const choices = (words: string, schemas: ReadonlyArray<Schema> | undefined): Part =>
  schemas !== undefined &&
  html`<p>${words}</p><ul class="members">${schemas.map((schema) => html`<li>${schemaHtml(schema)}</li>`)}</ul>`

/** What a value is, in one line: its type and every bound that it has. */
const wordsFor = (schema: Schema): ReadonlyArray<Part> =>
  [typeOf(schema), ...boundsOf(schema)].flatMap((part, index) => (index === 0 ? [part] : [', ', part]))

const typeOf = (schema: Schema): Part => {
  const { $ref, type, items } = schema
  if ($ref !== undefined) return linkTo($ref)
  if ('const' in schema) return ['always ', literal(schema.const)]
  if (schema.enum?.length === 1) return ['always ', literal(schema.enum[0])]
  if (schema.enum !== undefined) return ['one of ', commas(schema.enum.map(literal))]
  if (type === 'array' && items !== undefined) return ['array of ', wordsFor(items)]
  if (type !== undefined) return [type].flat().join(' or ')
  return schema.title ?? (holdsMore(schema) ? 'a value' : 'any value')
}

const boundsOf = (schema: Schema): ReadonlyArray<Part> => [
  ...(schema.format === undefined ? [] : [schema.format]),
  ...BOUNDS.flatMap(([keyword, words]) => {
    const bound = schema[keyword]
    return bound === undefined ? [] : [words(bound)]
  }),
  ...(schema.pattern === undefined ? [] : [formOf(schema.pattern)]),
  ...('default' in schema ? [['by default ', literal(schema.default)]] : []),
  ...(schema.examples === undefined ? [] : [['such as ', commas(schema.examples.map(literal))]]),
]

const formOf = (pattern: string): Part =>
  pattern === WELL_FORMED ? 'well-formed Unicode' : html`of the form <code>${pattern}</code>`

const BOUNDS: ReadonlyArray<
  readonly [
    'minLength' | 'maxLength' | 'minimum' | 'maximum' | 'minItems' | 'maxItems',
    (bound: number) => string,
  ]
> = [
  ['minLength', (bound) => (bound === 1 ? 'not empty' : `at least ${bound} characters`)],
  ['maxLength', (bound) => `at most ${bound} characters`],
  ['minimum', (bound) => `at least ${bound}`],
  ['maximum', (bound) => `at most ${bound}`],
  ['minItems', (bound) => `at least ${bound} of them`],
  ['maxItems', (bound) => `at most ${bound} of them`],
]

const literal = (value: unknown): Html => html`<code>${JSON.stringify(value)}</code>`

const commas = (parts: ReadonlyArray<Part>): ReadonlyArray<Part> =>
  parts.flatMap((part, index) => (index === 0 ? [part] : [', ', part]))
