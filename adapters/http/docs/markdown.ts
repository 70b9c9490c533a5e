import { type Html, html } from '../operation/html.ts'

/**
 * Renders the Markdown that the document uses: paragraphs, lists with `- `, headings with `## `, `code`, **strong** and links to
 * http, https or an anchor. Everything else is text.
 */
export const markdown = (text: string): ReadonlyArray<Html> => text.split(/\n\s*\n/).map(block)

const block = (text: string): Html => {
  const trimmed = text.trim()
  if (trimmed.startsWith(HEADING)) return html`<h2>${inline(trimmed.slice(HEADING.length))}</h2>`
  if (!trimmed.startsWith(ITEM)) return html`<p>${inline(trimmed)}</p>`
  const items = trimmed.slice(ITEM.length).split(`\n${ITEM}`)
  return html`<ul>${items.map((item) => html`<li>${inline(item)}</li>`)}</ul>`
}

const ITEM = '- '
const HEADING = '## '

/** Renders the marks within one paragraph. */
export const inline = (text: string): ReadonlyArray<Html> => {
  const parts = text.split(/(`[^`]+`|\*\*[^*]+\*\*|\[[^\]]+\]\((?:https?:\/\/|#)[^()\s]+\))/)
  return parts.map((part, index) => (index % 2 === 0 ? html`${part}` : marked(part)))
}

const marked = (part: string): Html => {
  if (part.startsWith('`')) return html`<code>${part.slice(1, -1)}</code>`
  if (part.startsWith('**')) return html`<strong>${part.slice(2, -2)}</strong>`
  const [words = '', target = ''] = part.slice(1, -1).split('](')
  return html`<a href="${target}">${words}</a>`
}
