import type { OpenAPIV3_1 } from 'openapi-types'
import { WELL_FORMED } from '../operation/fields.ts'
import { type Html, html, type Part } from '../operation/html.ts'
import { markdown } from './markdown.ts'
import { isRef, linkTo } from './reference.ts'

type SchemaObject = OpenAPIV3_1.SchemaObject
type Schema = SchemaObject | OpenAPIV3_1.ReferenceObject

/** The type of a value, its description and its members. */
export const schemaHtml = (schema: Schema): Html =>
  html`${hasType(schema) && html`<p class="type">${typeText(schema)}</p>`}${description(schema)}${insideOf(schema)}`

const description = ({ description: text }: Schema): Part => text !== undefined && markdown(text)

/** Whether the schema has more than a description and alternatives. */
const hasType = (schema: Schema): boolean => {
  const keywords = Object.keys(schema).filter((keyword) => keyword !== 'description')
  return keywords.length === 0 || keywords.some((keyword) => !['allOf', 'anyOf', 'oneOf'].includes(keyword))
}

/** Lists of the members of an object, the items of an array and the alternatives. */
const insideOf = (schema: Schema): ReadonlyArray<Part> =>
  isRef(schema) ? [] : partsOf(schema, itemsOf(schema))

const partsOf = (schema: SchemaObject, items: Schema | undefined): ReadonlyArray<Part> => [
  membersOf(schema),
  typeof schema.additionalProperties === 'object' &&
    html`<p>Any other member:</p>${schemaHtml(schema.additionalProperties)}`,
  items !== undefined && hasParts(items) && html`${description(items)}${insideOf(items)}`,
  choices('All of:', schema.allOf),
  choices('One or more of:', schema.anyOf),
  choices('One of:', schema.oneOf),
]

const PARTS = ['description', 'properties', 'items', 'allOf', 'anyOf', 'oneOf']

const hasParts = (schema: Schema): boolean => PARTS.some((keyword) => keyword in schema)

const itemsOf = (schema: SchemaObject): Schema | undefined => ('items' in schema ? schema.items : undefined)

const membersOf = ({ properties = {}, required = [] }: SchemaObject): Part => {
  const members = Object.entries(properties)
  return (
    members.length > 0 &&
    html`<ul class="members">${members.map(([name, schema]) => memberHtml(name, schema, required.includes(name)))}</ul>`
  )
}

/** One member: its name, type and description, and its own members. */
const memberHtml = (name: string, schema: Schema, isRequired: boolean): Html => html`<li>
<p><code class="name">${name}</code> <span class="type">${typeText(schema)}${isRequired ? ', required' : ''}</span></p>
${description(schema)}${insideOf(schema)}</li>`

const choices = (heading: string, schemas: ReadonlyArray<Schema> | undefined): Part =>
  schemas !== undefined &&
  html`<p>${heading}</p><ul class="members">${schemas.map((schema) => html`<li>${schemaHtml(schema)}</li>`)}</ul>`

/** The type of a value with all its bounds, in one line. */
const typeText = (schema: Schema): ReadonlyArray<Part> =>
  (isRef(schema) ? [linkTo(schema.$ref)] : [typeOf(schema), ...boundsOf(schema)]).flatMap((part, index) =>
    index === 0 ? [part] : [', ', part],
  )

const typeOf = (schema: SchemaObject): Part => {
  const { type } = schema
  const items = itemsOf(schema)
  if ('const' in schema) return ['always ', literal(schema.const)]
  if (schema.enum?.length === 1) return ['always ', literal(schema.enum[0])]
  if (schema.enum !== undefined) return ['one of ', commas(schema.enum.map(literal))]
  if (type === 'array' && items !== undefined) return ['array of ', typeText(items)]
  if (type !== undefined) return [type].flat().join(' or ')
  return schema.title ?? (hasParts(schema) ? 'a value' : 'any value')
}

const boundsOf = (schema: SchemaObject): ReadonlyArray<Part> => [
  ...(schema.format === undefined ? [] : [schema.format]),
  ...BOUNDS.flatMap(([keyword, words]) => {
    const bound = schema[keyword]
    return bound === undefined ? [] : [words(bound)]
  }),
  ...(schema.pattern === undefined ? [] : [formOf(schema.pattern)]),
  ...('default' in schema ? [['default ', literal(schema.default)]] : []),
  ...(schema.examples === undefined ? [] : [['for example ', commas(schema.examples.map(literal))]]),
]

const formOf = (pattern: string): Part =>
  pattern === WELL_FORMED ? 'well-formed Unicode' : html`matching <code>${pattern}</code>`

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
  ['minItems', (bound) => `at least ${items(bound)}`],
  ['maxItems', (bound) => `at most ${items(bound)}`],
]

const items = (count: number): string => `${count} ${count === 1 ? 'item' : 'items'}`

const literal = (value: unknown): Html => html`<code>${JSON.stringify(value)}</code>`

const commas = (parts: ReadonlyArray<Part>): ReadonlyArray<Part> =>
  parts.flatMap((part, index) => (index === 0 ? [part] : [', ', part]))
