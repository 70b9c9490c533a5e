/**
 * Says in a sentence each which colors of the pages are hard to tell apart (WCAG 2.2 §1.4.3, §1.4.11). Only the variables of `:root` are known
 * here, not what rules make of them.
 *
 * @param css of the service, followed by that of the operator
 */
export const contrastProblems = (css: string): ReadonlyArray<string> =>
  Object.entries(colorsIn(css)).flatMap(([scheme, colors]) => {
    const unknown = NAMES.filter((name) => luminance(colors[name]) === undefined)
    return [
      ...unknown.map((name) => `--${name} is not checked in the ${scheme} scheme: write it as #rrggbb.`),
      ...PAIRS.flatMap(([name, ground, least]) => {
        const [one, other] = [luminance(colors[name]), luminance(colors[ground])]
        const ratio = one === undefined || other === undefined ? least : contrast(one, other)
        return ratio >= least
          ? []
          : `--${name} on --${ground} has a contrast of ${floored(ratio)} in the ${scheme} scheme: at least ${least} is readable.`
      }),
    ]
  })

/** Of texts and, at last, of the borders of fields. */
const PAIRS: ReadonlyArray<readonly [name: string, ground: string, least: number]> = [
  ...['text', 'quiet', 'link', 'good', 'bad'].flatMap((name) =>
    ['ground', 'raised'].map((ground) => [name, ground, 4.5] as const),
  ),
  ['on-link', 'link', 4.5],
  ['edge', 'ground', 3],
]

const NAMES = [...new Set([...PAIRS.map(([name]) => name), 'ground', 'raised'])]

type Colors = Record<string, string>

/** The variables of `:root` in both schemes. The last declaration wins. */
const colorsIn = (css: string): Readonly<Record<'light' | 'dark', Colors>> => {
  const colors: Record<'light' | 'dark', Colors> = { light: {}, dark: {} }
  const above: Array<string> = []
  for (const [, text = '', end] of css.replace(NO_RULES, '').matchAll(/([^{};]*)([{};])/g)) {
    if (end === '{') above.push(text.trim())
    else {
      const [, name, value = ''] = /^\s*--([\w-]+)\s*:(.*)$/s.exec(text) ?? []
      if (name !== undefined)
        for (const scheme of schemesOf(above))
          colors[scheme][name] = value.replace(/!important\s*$/, '').trim()
      if (end === '}') above.pop()
    }
  }
  return colors
}

const NO_RULES = /\/\*.*?\*\/|"(?:\\.|[^"\\])*"|'(?:\\.|[^'\\])*'/gs

/** The schemes for which declarations below these preludes are sure to hold. */
const schemesOf = (above: ReadonlyArray<string>): ReadonlyArray<'light' | 'dark'> => {
  const selectors = (above.at(-1) ?? '').split(',').map((selector) => selector.trim())
  if (!selectors.includes(':root')) return []
  if (above.length === 1) return ['light', 'dark']
  const scheme = /^@media\s*\(\s*prefers-color-scheme\s*:\s*(light|dark)\s*\)$/.exec(above[0] ?? '')?.[1]
  return above.length === 2 && (scheme === 'light' || scheme === 'dark') ? [scheme] : []
}

/** The relative luminance of WCAG, or undefined for a color in another form. */
const luminance = (color = ''): number | undefined => {
  const digits = /^#([0-9a-f]{6})$/i.exec(color.replace(/^#(\w)(\w)(\w)$/, '#$1$1$2$2$3$3'))?.[1]
  if (digits === undefined) return undefined
  const [red = 0, green = 0, blue = 0] = [0, 2, 4].map((at) => {
    const share = Number.parseInt(digits.slice(at, at + 2), 16) / 255
    return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4
  })
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue
}

const contrast = (one: number, other: number): number =>
  (Math.max(one, other) + 0.05) / (Math.min(one, other) + 0.05)

/** Never rounded up to what is enough. */
const floored = (ratio: number): string => (Math.floor(ratio * 10) / 10).toFixed(1)
