/** A text of people. `{name}` stands for a value. */
export type Text = string | Plural

/** A text that depends on `{count}`, by the categories of `Intl.PluralRules`. */
export type Plural = Readonly<Partial<Record<Intl.LDMLPluralRule, string>> & { other: string }>

/** The values that a text wants. */
export const placeholdersOf = (text: Text): ReadonlySet<string> =>
  new Set(formsOf(text).flatMap((form) => [...form.matchAll(PLACEHOLDER)].map(([, name = '']) => name)))

export const formsOf = (text: Text): ReadonlyArray<string> =>
  typeof text === 'string' ? [text] : Object.values(text)

/** Puts values in place of their names. A value is never read for names again. */
export const filled = (text: string, values: Readonly<Record<string, string | number>>): string =>
  text.replace(PLACEHOLDER, (whole, name: string) =>
    Object.hasOwn(values, name) ? String(values[name]) : whole,
  )

export const PLACEHOLDER = /\{([a-z_]+)\}/g
