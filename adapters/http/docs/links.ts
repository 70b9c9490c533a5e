import { type Html, html } from '../operation/html.ts'

/** The id of a named element on the page. */
export const anchorOf = (kind: string, name: string): string => `${kind}-${name}`

/** A link to a named component, which the page shows once. */
export const linkTo = ($ref: string, words?: string): Html => {
  const [kind = '', name = ''] = $ref.split('/').slice(-2)
  return html`<a href="#${anchorOf(kind, name)}">${words ?? name}</a>`
}
