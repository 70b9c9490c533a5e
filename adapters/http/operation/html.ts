/** Text that is already HTML. */
export type Html = Readonly<{ html: string }>

/** A value that a template accepts. */
export type Part = Html | string | number | false | undefined | ReadonlyArray<Part>

/** A template of HTML. It escapes every value that is not HTML already. */
export const html = (texts: TemplateStringsArray, ...parts: ReadonlyArray<Part>): Html => ({
  html: texts.map((text, index) => `${text}${toText(parts[index])}`).join(''),
})

/** Trusted text, for elements such as `style` whose content is not HTML. */
export const verbatim = (text: string): Html => ({ html: text })

const toText = (part: Part): string => {
  if (part === undefined || part === false) return ''
  if (isList(part)) return part.map(toText).join('')
  return typeof part === 'object' ? part.html : escaped(String(part))
}

const isList = (part: Part): part is ReadonlyArray<Part> => Array.isArray(part)

/** Safe in the text of an element and in a quoted attribute. */
const escaped = (text: string): string => text.replace(/[&<>"']/g, (character) => ENTITIES[character] ?? '')

const ENTITIES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
}
