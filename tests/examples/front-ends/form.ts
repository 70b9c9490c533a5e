import type { Problem } from 'portcullis-client'
import { TEXTS } from './texts.ts'

/** An input: its name as the client has it, its label, and its `autocomplete`. */
export type Field = readonly [name: string, label: string, autocomplete: string]

/** Where a form goes, which is the URL of its page by default, and its hidden inputs. */
type More = Readonly<{ action?: string; hidden?: Readonly<Record<string, string>> }>

const typeOf = (name: string): string => {
  if (name === 'email') return 'email'
  if (name === 'remember') return 'checkbox'
  return /password/i.test(name) ? 'password' : 'text'
}

export const escaped = (text: string): string =>
  text.replaceAll(/[&<>"']/g, (one) => `&#${one.charCodeAt(0)};`)

export const page = (title: string, content: string): string =>
  `<!doctype html><html lang="de"><title>${title}</title><h1>${title}</h1>${content}</html>`

/** A form. Each problem stands at its field, or else above the fields. */
export const formOf = (
  button: string,
  fields: ReadonlyArray<Field>,
  problems: ReadonlyArray<Problem> = [],
  { action = '', hidden = {} }: More = {},
): string => {
  const textsAt = (isThere: (field: string) => boolean): string =>
    problems.flatMap(({ field, reason }) => (isThere(field) ? [TEXTS[reason]] : [])).join(' ')
  const inputs = fields.map(
    ([name, label, autocomplete]) => `<p><label>${label}
      <input name="${name}" type="${typeOf(name)}" autocomplete="${autocomplete}" aria-describedby="${name}">
      </label> <strong id="${name}">${textsAt((field) => field === name)}</strong></p>`,
  )
  const others = textsAt((field) => fields.every(([name]) => name !== field))
  const given = Object.entries(hidden).map(
    ([name, value]) => `<input type="hidden" name="${name}" value="${escaped(value)}">`,
  )
  return `<form method="post" action="${action}"><p role="alert">${others}</p>
    ${given.join('')}${inputs.join('')}<button>${button}</button></form>`
}
