import type { en } from './en.ts'
import { filled, type Plural, type Text } from './text.ts'

/** What people read in one language. `{name}` stands for a value. */
export type Texts = Readonly<{ [Key in TextKey]: (typeof en)[Key] extends string ? string : Plural }>

export type TextKey = keyof typeof en

type NamesIn<Form> = Form extends `${string}{${infer Name}}${infer Rest}` ? Name | NamesIn<Rest> : never
type ValuesFor<Key extends TextKey> = (typeof en)[Key] extends infer Found
  ? NamesIn<Found extends string ? Found : Found[keyof Found]>
  : never

/** The values of a text. A text that wants none takes none. */
export type Values<Key extends TextKey> =
  ValuesFor<Key> extends never
    ? []
    : [values: Readonly<Record<ValuesFor<Key>, ValuesFor<Key> extends never ? never : string | number>>]

/** Says a text in one language. */
export type Say = <Key extends TextKey>(key: Key, ...values: Values<Key>) => string

/** Says texts in a language. */
export const saying =
  (language: string, texts: Texts): Say =>
  (key, ...[values]) => {
    const text: Text = texts[key]
    const given: Readonly<Record<string, string | number>> = values ?? {}
    return filled(typeof text === 'string' ? text : formOf(language, text, Number(given.count)), given)
  }

const formOf = (language: string, text: Plural, count: number): string =>
  text[new Intl.PluralRules(language).select(count)] ?? text.other
