/** Text that is HTML already. */
export type Html = Readonly<{ html: string }>

/** What may stand in a template. */
export type Part = Html | string | number | false | undefined | ReadonlyArray<Part>

/** A template of HTML: all that is put into it is text, unless it is HTML already. */
export const html = (texts: TemplateStringsArray, ...parts: ReadonlyArray<Part>): Html => ({
  html: texts.map((text, index) => `${text}${written(parts[index])}`).join(''),
})

/** Text of ours, for an element whose text is no HTML. */
export const verbatim = (text: string): Html => ({ html: text })

const written = (part: Part): string => {
  if (part === undefined || part === false) return ''
  if (isList(part)) return part.map(written).join('')
  return typeof part === 'object' ? part.html : escaped(String(part))
}

const isList = (part: Part): part is ReadonlyArray<Part> => Array.isArray(part)

/** Fit for the text of an element, and for an attribute in quotes. */
const escaped = (text: string): string => text.replace(/[&<>"']/g, (character) => ENTITIES[character] ?? '')

const ENTITIES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
}
