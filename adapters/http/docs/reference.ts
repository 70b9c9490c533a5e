import type { OpenAPIV3_1 } from 'openapi-types'
import { type Html, html } from '../operation/html.ts'

type Ref = OpenAPIV3_1.ReferenceObject

export const isRef = (value: object): value is Ref => '$ref' in value && typeof value.$ref === 'string'

/** The value, or what its reference points to; undefined if that does not exist. */
export const resolved = <T extends object>(document: OpenAPIV3_1.Document, value: T | Ref): T | undefined => {
  if (!isRef(value)) return value
  const [root, ...names] = value.$ref.split('/')
  return root === '#' ? (names.reduce<unknown>(member, document) as T | undefined) : undefined
}

/** One step of a JSON pointer (RFC 6901), into own members only. */
const member = (value: unknown, name: string): unknown => {
  const key = name.replaceAll('~1', '/').replaceAll('~0', '~')
  return typeof value === 'object' && value !== null && Object.hasOwn(value, key)
    ? (value as Readonly<Record<string, unknown>>)[key]
    : undefined
}

/** The id of a named element on the page. */
export const anchorOf = (kind: string, name: string): string => `${kind}-${name}`

/** A link to a named component, which the page shows once. */
export const linkTo = ($ref: string, words?: string): Html => {
  const [kind = '', name = ''] = $ref.split('/').slice(-2)
  return html`<a href="#${anchorOf(kind, name)}">${words ?? name}</a>`
}
