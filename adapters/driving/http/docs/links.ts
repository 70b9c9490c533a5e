import { type Html, html } from './html.ts'

/** Where something with a name of its own stands on the page. */
export const placeOf = (kind: string, name: string): string => `${kind}-${name}`

/** To what is referred to: it has a name of its own, and stands on the page once. */
export const linkTo = ($ref: string, words?: string): Html => {
  const [kind = '', name = ''] = $ref.split('/').slice(-2)
  return html`<a href="#${placeOf(kind, name)}">${words ?? name}</a>`
}
