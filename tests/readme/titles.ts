import { readFileSync } from 'node:fs'
import { parseSync, Visitor } from 'oxc-parser'

/** What `describe`, what stands for it, and `it` are given in a test file, in words. What is only known when it runs is `…`. */
export const titlesIn = (file: string): ReadonlyArray<string> => {
  const titles = known.get(file) ?? read(file)
  known.set(file, titles)
  return titles
}

const TITLED = ['describe', 'onEveryStore', 'onEverySharedStore', 'onMemory', 'onSqlite', 'it']

const known = new Map<string, ReadonlyArray<string>>()

const read = (file: string): ReadonlyArray<string> => {
  const { program, errors } = parseSync(file, readFileSync(file, 'utf8'))
  if (errors.length > 0) throw new Error(`${file} cannot be read`)
  const found: Array<string> = []
  new Visitor({
    CallExpression: ({ callee, arguments: [title] }) => {
      if (callee.type !== 'Identifier' || !TITLED.includes(callee.name)) return
      if (title?.type === 'Literal' && typeof title.value === 'string') found.push(title.value)
      if (title?.type === 'TemplateLiteral')
        found.push(title.quasis.map(({ value }) => value.cooked ?? value.raw).join('…'))
    },
  }).visit(program)
  return found
}

/** Whether a sentence is one of the titles, or the beginning of one up to the end of a word. */
export const isTitled = (titles: ReadonlyArray<string>, sentence: string): boolean =>
  /\p{L}{2}/u.test(sentence) &&
  titles.some((title) => title.startsWith(sentence) && !/^\p{L}/u.test(title.slice(sentence.length)))
